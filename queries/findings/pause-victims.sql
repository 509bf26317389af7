-- Which flows waited in pauses that were not meant for them?
-- Head-of-line blocking: what travels to the root of the pauses is stopped, and
-- so is everything that shares a link and priority with it.
-- param notable duration 1ms  less than this of one flow is only mentioned
-- needs pause_sender
WITH v AS (
  SELECT h.tap_id, h.source_mac, h.priority, count(*) AS flows,
         sum(h.stalled_ns) AS cost_ns, max(h.stalled_ns) AS worst_ns,
         max(h.longest_ns) AS longest_ns, min(h.first_ns) AS first_ns,
         max(h.last_ns) AS last_ns, json_group_array(h.flow_id) AS ids,
         json_group_array(json_object('tap', h.stall_tap_id,
                                      'frame', h.frame))
           FILTER (WHERE h.frame IS NOT NULL) AS frames,
         CASE WHEN count(DISTINCT f.src || f.dst) = 1
              THEN max(f.src || ' > ' || f.dst)
              WHEN count(DISTINCT f.dst) = 1
              THEN plural(count(DISTINCT f.src), 'host') || ' > '
                   || max(f.dst)
              WHEN count(DISTINCT f.src) = 1
              THEN max(f.src) || ' > ' || plural(count(DISTINCT f.dst), 'host')
              ELSE plural(count(DISTINCT f.src), 'host') || ' > '
                   || plural(count(DISTINCT f.dst), 'host') END AS hosts
    FROM (SELECT * FROM stalled_flow /*scan*/ WHERE part = 'victim'
           ORDER BY stalled_ns DESC, flow_id) h
    JOIN flow f ON f.id = h.flow_id
   WHERE NOT EXISTS (SELECT 1 FROM storm s
                      WHERE s.id = h.storm_id AND s.level = 'deadlock')
   GROUP BY h.tap_id, h.source_mac, h.priority)
SELECT CASE WHEN v.worst_ns >= :notable THEN 'warning' ELSE 'info' END
         AS severity, 0.85 AS confidence,
       'Head-of-line blocking: ' || plural(v.flows, 'flow')
         || ' to another host stalled by pauses from ' || p.who || ': '
         || v.hosts AS title,
       'Pauses that began at ' || p.who || ' spread to links that these flows '
         || 'share' || ifnull(' in priority ' || v.priority, '')
         || '. They stalled for ' || human_ns(v.cost_ns)
         || ' summed over flows, at most ' || human_ns(v.longest_ns)
         || ' at a time.'
         AS detail,
       'Remove the cause at ' || p.who || '. Marking (ECN) that begins before '
         || 'XOFF, and spreading jobs over priorities, keep pauses from '
         || 'spreading.' AS action,
       v.first_ns, v.last_ns, v.cost_ns,
       json_object('frames', json(v.frames), 'flows', json(v.ids),
                   'numbers',
                   json_object('flows', v.flows, 'stalled_ns', v.cost_ns,
                               'longest_ns', v.longest_ns),
                   'query', 'fabscope query DB stalled-flows --param part=victim')
         AS evidence
  FROM v
  JOIN pause_sender p ON p.tap_id = v.tap_id AND p.source_mac = v.source_mac
               AND p.priority IS v.priority

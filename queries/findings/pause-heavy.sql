-- Which ports keep sending PFC pauses, short of a storm?
-- A host that does cannot take what its link brings; a switch that does has
-- more coming in than it can pass on.  Reported for the port that none is seen
-- behind; what its pauses do further up is part of it.
-- param share share 0.2  of the capture
-- param least duration 1ms  in all
-- needs pause_sender
WITH hit AS (
  SELECT tap_id, source_mac, priority, sum(stalled_ns) AS cost_ns,
         count(*) AS flows, json_group_array(flow_id) AS ids
    FROM (SELECT * FROM stalled_flow /*scan*/ WHERE storm_id IS NULL
           ORDER BY stalled_ns DESC, flow_id)
   GROUP BY tap_id, source_mac, priority)
SELECT 'warning' AS severity,
       CASE WHEN p.captured_ns >= 1000000000 THEN 0.9 ELSE 0.75 END
         AS confidence,
       upper(substr(p.who, 1, 1)) || substr(p.who, 2)
         || ' pauses its link '
         || human_share(1.0 * p.paused_ns / p.captured_ns)
         || ' of the time' AS title,
       'It sent XOFF ' || times(p.pauses) || ifnull(' for priority '
         || p.priority, ' for the whole link')
         || ', at most ' || human_ns(p.longest_ns) || ' at a time, '
         || human_ns(p.paused_ns) || ' in all. '
         || CASE WHEN p.role = 'host'
                 THEN 'It receives more than it can process. '
                 WHEN f.id IS NOT NULL
                 THEN 'Meanwhile the link of ' || f.dst || ' was full, and '
                   || 'most of what was queued was for it. '
                 ELSE 'More arrives than leaves downstream of that port, or what '
                   || 'is downstream of it is paused itself. ' END
         || plural(h.flows, 'flow') || ' waited ' || human_ns(h.cost_ns)
         || ' in all.' AS detail,
       CASE WHEN p.role = 'host'
            THEN 'Look at ' || p.who || ': receive buffers, PCIe, memory '
              || 'bandwidth, a slower link behind the NIC.'
            ELSE 'Look for many senders to one receiver, and whether marking '
              || '(ECN) begins well before XOFF: senders should reduce their '
              || 'rate before they are paused.' END AS action,
       p.tap_id, p.first_ns, p.last_ns, h.cost_ns,
       p.place, p.place_at,
       json_object('frames', json_array(json_object('tap', p.tap_id,
                                                    'frame', p.frame)),
                   'flows', json(h.ids),
                   'numbers',
                   json_object('pauses', p.pauses, 'paused_ns', p.paused_ns,
                               'longest_ns', p.longest_ns, 'flows', h.flows),
                   'query', 'fabscope query DB pauses --param tap='
                            || p.tap_id) AS evidence
  FROM hit h
  JOIN pause_sender p ON p.tap_id = h.tap_id AND p.source_mac = h.source_mac
               AND p.priority IS h.priority
  LEFT JOIN flow f ON f.id = p.full_flow
 WHERE NOT p.ignored
   AND p.paused_ns >= :least
   AND p.paused_ns >= :share * p.captured_ns

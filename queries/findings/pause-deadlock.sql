-- Do links pause each other in a cycle?
-- Deadlock only where every link of the circle is in the capture; suspected
-- where a switch lets nothing through any more and nothing shows why.
-- needs pause_sender
WITH hit AS (
  SELECT storm_id, sum(stalled_ns) AS cost_ns, count(*) AS flows,
         json_group_array(flow_id) AS ids
    FROM (SELECT * FROM stalled_flow /*scan*/ WHERE storm_id IS NOT NULL
           ORDER BY stalled_ns DESC, flow_id)
   GROUP BY storm_id),
circle AS (
  SELECT s.root_id AS id, s.level, count(*) AS links,
         group_concat(ifnull(t.name, t.id), ', ') AS taps,
         min(s.longest_ns) AS still_ns, min(s.first_ns) AS first_ns,
         max(s.last_ns) AS last_ns, min(s.standing) AS standing,
         json_group_array(json_object('tap', s.tap_id, 'frame', s.frame))
           AS frames
    FROM (SELECT * FROM storm /*scan*/ WHERE level LIKE 'deadlock%'
           ORDER BY first_ns, id) s
    JOIN tap t ON t.id = s.tap_id
   GROUP BY s.root_id, s.level)
SELECT CASE c.level WHEN 'deadlock' THEN 'critical' ELSE 'warning' END
         AS severity,
       CASE c.level WHEN 'deadlock' THEN 0.95 ELSE 0.4 END AS confidence,
       CASE c.level
         WHEN 'deadlock'
         THEN 'PFC deadlock: ' || plural(c.links, 'link')
              || ' pause each other in a cycle'
         ELSE 'PFC deadlock suspected: ' || p.who
           || ' is paused and has forwarded nothing since' END AS title,
       CASE c.level
         WHEN 'deadlock'
         THEN 'Each of the links at taps ' || c.taps
              || ifnull(', priority ' || r.priority || ',', '')
              || ' is paused because the next one is. No packet was seen for '
              || human_ns(c.still_ns)
              || CASE WHEN c.standing
                      THEN ', until the capture ended. The time of a job '
                        || 'ends with its last packet: most of this is not in '
                        || 'the answer. ' ELSE '. ' END
              || CASE WHEN r.root IS NOT NULL
                      THEN 'The first pause came from outside the cycle, from '
                        || r.root || '. '
                      ELSE 'The first pause was that of ' || p.who || '. ' END
         ELSE 'Paused for ' || human_ns(c.still_ns) || ' when the capture '
           || 'ended, and nothing in the capture shows why. A storm '
           || 'elsewhere looks the same from here. ' END
         || ifnull(plural(h.flows, 'flow') || ' stalled for '
                   || human_ns(h.cost_ns) || ' in all.', '') AS detail,
       CASE c.level
         WHEN 'deadlock'
         THEN 'Only a PFC watchdog, or taking a port down, ends it. Look for '
           || 'routes that go up again after going down, and for the reason of '
           || 'the first pause.'
         ELSE 'Capture pause frames at all links between the switches.' END
         AS action,
       CASE WHEN c.links = 1 THEN r.tap_id END AS tap_id,
       c.first_ns, c.last_ns, h.cost_ns,
       json_object('frames', json(c.frames), 'flows',
                   json(ifnull(h.ids, '[]')),
                   'numbers', json_object('links', c.links, 'still_ns',
                                          c.still_ns, 'flows',
                                          ifnull(h.flows, 0)),
                   'query', 'fabscope query DB storms --param root=' || c.id)
         AS evidence
  FROM circle c
  JOIN storm r ON r.id = c.id
  JOIN pause_sender p ON p.tap_id = r.tap_id AND p.source_mac = r.source_mac
               AND p.priority IS r.priority
  LEFT JOIN hit h ON h.storm_id = c.id

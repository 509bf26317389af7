-- Which port of which switch did packets wait in?
-- From telemetry in the packets: time inside beyond the shortest that the same
-- port has shown.
-- needs hop
WITH waits AS (
  SELECT h.*, h.residence_mean_ns - h.residence_min_ns AS waited,
         h.residence_p99_ns - h.residence_min_ns AS worst,
         ifnull(n.name, 'switch ' || h.device_id) AS switch,
         ifnull(p.name, h.egress_port) AS port,
         q.place, q.node || '->' || q.next AS place_at
    FROM hop h
    LEFT JOIN node n ON n.kind = 'switch' AND n.device_id = h.device_id
    LEFT JOIN node_port p ON p.node = n.name AND p.port = h.egress_port
    LEFT JOIN (SELECT a AS node, a_port AS name, b AS next FROM link
               UNION ALL SELECT b, b_port, a FROM link) c
      ON c.node = n.name AND c.name = p.name
    LEFT JOIN port_place q ON q.node = c.node AND q.next = c.next
   WHERE h.flow_id IS NULL AND h.packets >= 100
     AND h.residence_mean_ns IS NOT NULL),
worst AS (
  SELECT *, row_number() OVER (PARTITION BY device_id, egress_port, queue
                                   ORDER BY packets DESC) AS nth
    FROM waits WHERE waited >= 20000 OR worst >= 100000)
SELECT 'warning' AS severity, 0.95 AS confidence,
       'Congested hop: packets wait ' || human_ns(waited) || ' in ' || switch
         || CASE WHEN port IS NULL THEN ''
                 ELSE ' before port ' || port END AS title,
       'Telemetry of ' || plural(w.packets, 'packet') || ' at ' || t.name
         || ': 1 % of them waited ' || human_ns(worst)
         || ' or longer, at most ' || human_ns(residence_max_ns)
         || '. This was the slowest hop of '
         || human_share(1.0 * slowest / w.packets) || ' of them'
         || CASE WHEN w.ce > 0
                 THEN '; ' || human_share(1.0 * w.ce / w.packets)
                        || ' carried a CE mark when captured'
                        || ifnull('; the marked ones had waited '
                                  || human_ns(marked_mean_ns)
                                  || ' on average, all packets '
                                  || human_ns(residence_mean_ns), '')
                 ELSE '' END
         || '.'
         || CASE WHEN w.lost > 0
                 THEN ' ' || plural(w.lost, 'packet') || ' of these '
                        || CASE w.lost WHEN 1 THEN 'was' ELSE 'were' END
                        || ' lost later on the way'
                        || ifnull(', after waiting '
                                  || human_ns(lost_mean_ns)
                                  || ' here on average', '') || '.'
                 ELSE '' END
         || CASE WHEN ack_correlation_pm >= 500
                 THEN ' The longer a packet waited, the later came its ACK '
                        || '(correlation '
                        || printf('%.2f', ack_correlation_pm / 1000.0) || ').'
                 ELSE '' END AS detail,
       'See which flows take this hop, and whether they have another path.'
         AS action,
       w.tap_id, w.longest_ns AS first_ns, w.longest_ns AS last_ns,
       w.place, w.place_at,
       json_object('frames', json_array(json_object('tap', w.tap_id,
                                                    'frame', longest_frame)),
                   'numbers', json_object('packets', w.packets,
                                          'waited_ns', waited,
                                          'p99_ns', worst),
                   'query', 'fabscope query DB hops') AS evidence
  FROM worst w
  JOIN tap t ON t.id = w.tap_id
 WHERE nth = 1
 ORDER BY waited DESC
 LIMIT 20

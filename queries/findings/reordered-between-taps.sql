-- Between which capture points was order lost?
-- Rule M4: packets of one flow that passed the first in one order and the
-- second in another.  Contexts without an order (RUD, RUDI, UUD) have none to
-- lose: theirs is in `segments`, and accuses nobody.
-- param least count 3  fewer are not reported
-- needs segment
WITH late AS MATERIALIZED (
  SELECT m.segment_id, sum(m.reordered) AS n, max(m.displaced_max) AS most,
         sum(m.packets) AS packets, sum(f.nak_seq) AS naks
    FROM segment_flow m /*scan*/
    JOIN flow f ON f.id = m.flow_id
   WHERE m.reordered > 0
     AND f.transport NOT IN ('UET-RUD', 'UET-RUDI', 'UET-UUD', 'UET-TSS')
   GROUP BY m.segment_id)
SELECT CASE WHEN l.naks > 0 THEN 'warning' ELSE 'info' END AS severity,
       0.95 AS confidence,
       plural(l.n, 'packet') || ' reordered between ' || a.name
         || ' and ' || b.name AS title,
       human_count(l.packets) || ' packets of these flows were seen at both. '
         || 'Packets that left ' || a.name || ' later arrived at ' || b.name
         || ' first: the reordered ones are at most ' || l.most
         || ' positions late.'
         || CASE WHEN s.one_in > 1
                 THEN ' One packet in ' || s.one_in || ' was compared.'
                 ELSE '' END AS detail,
       'Look for several paths between the two (ECMP by packet, flowlets, '
         || 'link aggregation), or a device that holds packets back.'
         AS action,
       s.to_tap_id AS tap_id, s.first_ns, s.last_ns,
       json_object(
         'frames', (SELECT json_group_array(json(j)) FROM
           (SELECT json_object('tap', s.to_tap_id, 'frame', m.reordered_frame)
                     AS j
              FROM segment_flow m
              JOIN flow f ON f.id = m.flow_id
             WHERE m.segment_id = s.id AND m.reordered_frame IS NOT NULL
               AND f.transport NOT IN ('UET-RUD', 'UET-RUDI', 'UET-UUD',
                                       'UET-TSS')
             ORDER BY m.reordered DESC LIMIT 5)),
         'numbers', json_object('reordered', l.n, 'seen_at_both', l.packets),
         'query', 'fabscope query DB segments') AS evidence
  FROM segment s /*scan*/
  JOIN late l ON l.segment_id = s.id
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
 WHERE s.adjacent AND l.n >= :least

-- Between which capture points were packets lost, one by one?
-- Rule M1, packet by packet.  Left out is what the finding of losses that cost
-- a recovery between the same places already tells (lost-between-taps), and
-- answers alone that may as well be missing in the capture there: nobody sends
-- them again, so they have to be more than those can be, 99 % sure.
-- needs segment
WITH gone AS MATERIALIZED (
  SELECT v.segment_id, count(*) AS n, sum(v.kind = 'ack') AS answers,
         sum(f.transport LIKE 'UET-%') AS of_uet,
         sum(f.transport = 'UET-TSS') AS sealed,
         count(DISTINCT v.flow_id) AS flows, min(v.ns) AS first_ns,
         max(v.ns) AS last_ns, min(v.confidence) AS confidence
    FROM unmatched v /*scan*/
    JOIN flow f ON f.id = v.flow_id
   WHERE v.verdict = 'lost'
     AND (v.kind = 'ack'
          OR v.flow_id NOT IN
             (SELECT value FROM incident i
               CROSS JOIN incident_flow m ON m.incident_id = i.id
               CROSS JOIN flow o ON o.id = m.flow_id
               CROSS JOIN json_each(json_array(o.id, o.peer_flow_id))
               WHERE i.kind = 'loss_between' AND value IS NOT NULL))
   GROUP BY v.segment_id),
place AS MATERIALIZED (
  SELECT t.id AS tap_id, sum(s.packets) AS seen,
         sum(CASE t.id WHEN s.to_tap_id THEN s.missed_to
                       ELSE s.missed_from END) AS missed
    FROM segment s /*scan*/
    JOIN tap t ON t.id IN (s.from_tap_id, s.to_tap_id)
   GROUP BY t.id)
SELECT 'warning' AS severity, g.confidence,
       iif(s.one_in > 1, 'at least ', '') || plural(g.n, 'packet')
         || ' lost between ' || a.name || ' and '
         || b.name || CASE WHEN g.answers = g.n
                           THEN iif(g.sealed, ', data or ACKs (encrypted)',
                                    ', all of them ACKs, NAKs or '
                                      || iif(g.of_uet = g.n,
                                             'control packets', 'CNPs'))
                           ELSE '' END AS title,
       'They were seen at ' || a.name || ' and not at ' || b.name
         || ', of ' || plural(g.flows, 'flow') || '; '
         || human_count(s.packets) || ' others were seen at both, and '
         || CASE WHEN s.missed_to > 0
                 THEN plural(s.missed_to, 'packet')
                      || ' were delivered but not captured at '
                      || b.name
                 ELSE 'none was delivered but not captured' END || '.'
         || CASE WHEN s.one_in > 1
                 THEN ' One packet in ' || s.one_in || ' was compared.'
                 ELSE '' END
         AS detail,
       'Look at what lies between these two taps: drop and discard counters '
         || 'of those ports and queues, link errors (FEC, CRC).' AS action,
       s.to_tap_id AS tap_id, g.first_ns, g.last_ns,
       s.place, s.place_at,
       json_object(
         'frames', (SELECT json_group_array(json(j)) FROM
           (SELECT json_object('tap', v.tap_id, 'frame', v.frame) AS j
              FROM unmatched v
             WHERE v.segment_id = g.segment_id AND v.verdict = 'lost'
             ORDER BY v.ns LIMIT 5)),
         'numbers', json_object('lost', g.n, 'answers', g.answers,
                                'seen_at_both', s.packets,
                                'one_in', s.one_in),
         'query', 'fabscope query DB unmatched --param segment='
                  || g.segment_id) AS evidence
  FROM gone g
  JOIN segment s ON s.id = g.segment_id
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
  JOIN place p ON p.tap_id = s.to_tap_id
 WHERE g.answers < g.n
    OR g.answers > ifnull(at_most(p.missed, p.seen, s.packets), 0)

-- Which recoveries remain when those seen at several taps are counted once?
-- Of the same recovery, that of the tap that knows its cause.
--
-- column id id  recovery.id
--
-- example fabscope query DB recovery-once
WITH each AS (
  SELECT r.id, ifnull(l.psn, r.psn) AS psn, r.cause, r.trigger, r.confidence,
         r.first_ns, ifnull(s.counted_id, r.flow_id) AS counted_id,
         row_number() OVER (PARTITION BY r.flow_id, ifnull(l.psn, r.psn)
                            ORDER BY r.first_ns, r.id) AS nth
    FROM recovery /*scan*/ r
    LEFT JOIN same_flow s ON s.flow_id = r.flow_id
    LEFT JOIN (SELECT o.seen_id, min(b.psn) AS psn
                 FROM same_loss o /*scan*/
                 JOIN recovery b ON b.id = o.lost_id
                WHERE o.counted
                GROUP BY o.seen_id) l ON l.seen_id = r.id),
ranked AS (
  SELECT id, first_value(id) OVER best AS best_id,
         first_ns - first_value(first_ns) OVER best AS after_ns
    FROM each
  WINDOW best AS (PARTITION BY counted_id, psn, nth
                  ORDER BY cause = 'unknown', trigger = 'unknown',
                           confidence DESC, id))
SELECT id FROM ranked
 WHERE id = best_id OR abs(after_ns) >= 1000000000
 ORDER BY id

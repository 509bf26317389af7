-- Which CE-marked flows received no CNP, and what is the likely reason?
-- No fault where the receiver paces its CNPs by peer or port: others got them.
--
-- param limit count 100  maximum number of rows
-- column flow_id id  flow.id
-- column tap_id id  tap.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column marks count  marked data packets
-- column others count  CNPs the receiver sent to others meanwhile
-- column why text  the probable cause
--
-- example fabscope query DB unanswered-marks
WITH sent AS (
  SELECT tap_id, receiver, max(cnps) AS cnps,
         group_concat(scope, ' or ') FILTER (WHERE inferred) AS scope,
         max(inferred AND scope <> 'qp') AS wide
    FROM cnp_pacing GROUP BY tap_id, receiver)
SELECT c.flow_id, f.tap_id, f.src, f.dst, f.dst_qp, c.marks,
       ifnull(s.cnps, 0) AS others,
       CASE WHEN f.visibility <> 'both'
            THEN 'the reverse path is not in the capture'
            WHEN e.last_ns - c.first_mark_ns < 1000000
            THEN 'the capture ended too soon after'
            WHEN s.wide
            THEN 'paced out: the receiver counts by ' || s.scope
            WHEN s.cnps > 0
            THEN 'not for this queue pair: CNPs may be off for it, or lost'
            ELSE 'the receiver sends none: its notification point (NP) is off, '
                 || 'or CNPs take another path' END AS why
  FROM congestion /*scan*/ c
  JOIN flow f ON f.id = c.flow_id
  JOIN tap e ON e.id = f.tap_id
  LEFT JOIN sent s ON s.tap_id = f.tap_id AND s.receiver = f.dst
 WHERE c.marks > 0 AND c.cnps = 0
 ORDER BY c.marks DESC, c.flow_id
 LIMIT :limit

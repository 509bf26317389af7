-- When did each rank send in the phases of its job?
-- Latest first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column phase_id id  phase.id
-- column bytes_out bytes  payload it sent
-- column late_start_ns duration  start against the median rank
-- column residual_ns duration  lateness that its input does not explain
-- column total count  total number
SELECT 'Jobs' AS process, 'job ' || p.job AS track, 'rank ' || r.rank AS lane,
       'phase ' || r.phase_id AS name, r.start_ns, r.end_ns, r.phase_id,
       r.bytes_out, r.late_start_ns, r.residual_ns, count(*) OVER () AS total
  FROM phase_rank r
  JOIN phase p ON p.id = r.phase_id
 WHERE r.start_ns IS NOT NULL
 ORDER BY r.late_start_ns DESC, r.phase_id, r.rank
 LIMIT :limit

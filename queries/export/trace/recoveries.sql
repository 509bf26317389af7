-- When did flows recover, and from what?
-- Costliest first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column recovery_id id  recovery.id
-- column psn hex  first PSN retransmitted
-- column lost_min count  lost, at least
-- column lost_max count  maximum of the same
-- column retransmitted_packets count  retransmitted
-- column confidence share  confidence, 0..1
-- column rule text  that decided
-- column frame_detect count  frame of the NAK
-- column total count  total number
SELECT 'Flows' AS process, 'flow ' || flow_id AS track, 'recoveries' AS lane,
       "trigger" || ': ' || cause AS name, first_ns AS start_ns,
       last_ns AS end_ns, id AS recovery_id, psn, lost_min, lost_max,
       retransmitted_packets, confidence, rule, frame_detect,
       count(*) OVER () AS total
  FROM recovery /*scan*/
 ORDER BY last_ns - first_ns DESC, id
 LIMIT :limit

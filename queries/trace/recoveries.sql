-- When did flows recover, and from what?
-- Costliest first.
--
-- param limit count 10000  at most so many
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column recovery_id id  recovery.id
-- column psn hex  first packet sent again
-- column lost_min count  lost, at least
-- column lost_max count  and at most
-- column resent_packets count  sent again
-- column confidence share  how sure
-- column rule text  that decided
-- column frame_detect count  frame of the NAK
-- column total count  how many there are
SELECT 'Flows' AS process, 'flow ' || flow_id AS track, 'recoveries' AS lane,
       "trigger" || ': ' || cause AS name, first_ns AS start_ns,
       last_ns AS end_ns, id AS recovery_id, psn, lost_min, lost_max,
       resent_packets, confidence, rule, frame_detect,
       count(*) OVER () AS total
  FROM recovery /*scan*/
 ORDER BY last_ns - first_ns DESC, id
 LIMIT :limit

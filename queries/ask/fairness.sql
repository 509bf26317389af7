-- How evenly did congested flows to one receiver share its link over time?
-- Jain's index: 1 when all flows that are under way get the same, 1/n when one
-- gets all.  Measured over windows of 100 packets of a flow on average.
--
-- param tap id NULL  at one tap
-- param receiver text NULL  of one receiver
-- param limit count 1000  maximum number of rows
-- column tap_id id  tap.id
-- column receiver text  to whom
-- column start_ns time  begin of the window
-- column window_ns duration  its length
-- column flows count  active flows
-- column rate_bps rate  all of them together
-- column slowest_bps rate  the slowest that sent
-- column fastest_bps rate  the fastest
-- column even count  flows within 10 % of the mean
-- column jfi share  Jain's fairness index
--
-- example fabscope query DB fairness --param limit=20
SELECT tap_id, receiver, start_ns, window_ns, flows,
       CAST(8e9 * bytes / window_ns AS INTEGER) AS rate_bps,
       CAST(8e9 * bytes_min / window_ns AS INTEGER) AS slowest_bps,
       CAST(8e9 * bytes_max / window_ns AS INTEGER) AS fastest_bps, even, jfi
  FROM fairness /*scan*/
 WHERE (:tap IS NULL OR tap_id = :tap)
   AND (:receiver IS NULL OR receiver = :receiver)
 ORDER BY tap_id, receiver, start_ns
 LIMIT :limit

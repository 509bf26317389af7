-- After flows joined others, how long until all had their fair share?
-- From the first packet of the last flows to join (those less than a
-- millisecond apart join together) until every flow is within 10 % of the mean
-- and stays there for ten windows and a millisecond at least (BMWG 7.3).  Only
-- as fine as the window says, and only right at the bottleneck or behind it.
--
-- param tap id NULL  at one tap
-- param receiver text NULL  of one receiver
-- column tap_id id  tap.id
-- column receiver text  to whom
-- column joined_ns time  first packet of those that joined
-- column flows count  active flows then
-- column joined count  of these, new
-- column window_ns duration  rates are measured over so long
-- column converged_ns duration  until all were even; NULL: never, up to the end
-- column nearly_ns duration  until 95 % of them were
-- column observed_ns duration  how long they could be watched
-- column jfi_first share  Jain's index in the first window
-- column jfi_last share  in the last
--
-- example fabscope query DB convergence
SELECT tap_id, receiver, joined_ns, flows, joined, window_ns, converged_ns,
       nearly_ns, observed_ns, jfi_first, jfi_last
  FROM convergence /*scan*/
 WHERE (:tap IS NULL OR tap_id = :tap)
   AND (:receiver IS NULL OR receiver = :receiver)
 ORDER BY tap_id, receiver

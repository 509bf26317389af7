-- How do receivers pace their CNPs: by queue pair, peer or port?
-- The widest scope between whose CNPs there is a hard floor.  expected is how
-- many CNPs the marks would give, paced like that; without marks here it is
-- not known.
--
-- param receiver text NULL  of one receiver
-- param all flag 0  1: also the scopes that do not fit
-- column tap_id id  tap.id
-- column receiver text  who sends the CNPs
-- column scope word  qp, pair (of hosts), port
-- column inferred flag  it fits
-- column entities count  queue pairs, pairs or ports that received CNPs
-- column cnps count  CNPs
-- column gaps count  times between two of them
-- column gap_p1_ns duration  1st percentile: the interval
-- column gap_p50_ns duration  median
-- column near share  of the gaps close to the shortest
-- column expected count  CNPs that the marks would cause at that interval
-- column observed count  CNPs there were meanwhile
--
-- example fabscope query DB cnp-pacing --param all=1
SELECT tap_id, receiver, scope, inferred, entities, cnps, gaps, gap_p1_ns,
       gap_p50_ns, near, expected, observed
  FROM cnp_pacing /*scan*/
 WHERE (:receiver IS NULL OR receiver = :receiver)
   AND (:all OR inferred)
 ORDER BY tap_id, receiver, scope DESC

-- Was it the network?
-- First the answer for the capture, then one for each job, then those for
-- iterations that took longer than most.  The shares of an
-- answer add up to its total; what is not explained is unknown.
-- param job id NULL  one job only
-- column id id  answer.id
-- column scope text  capture job iteration
-- column job id  job.id; NULL the capture
-- column iteration count  phase.iteration; NULL all of them
-- column who text  host or flows; NULL all of them
-- column verdict text  network host both nothing-wrong undetermined
-- column confidence share  of the verdict; 0 too few packets to measure
-- column total_ns duration  the time that is divided
-- column excess_ns duration  known to be more than the work needs
-- column network_ns duration  of this, caused by the network
-- column host_ns duration  of this, caused by hosts
-- column unknown_ns duration  of the total, its cause is not known
-- column cause word  class with most of the excess
-- column root text  where it began
-- column place word  kind of place where it was congested: see query places
-- column place_at text  the port there; unknown: what it lies between
-- column finding id  finding.id with frames and query
-- column reason text  what leads to the verdict, or what is missing for one
-- column line text  verdict, confidence and reason as people read them
-- column shares json  where the time went: class, side, ns, measured
-- example fabscope query DB answer
SELECT a.id, a.scope, a.job, a.iteration, a.who, a.verdict, a.confidence,
       a.total_ns, a.excess_ns, a.network_ns, a.host_ns, a.unknown_ns,
       a.cause, a.root, a.place, a.place_at, a.finding, a.reason, a.line,
       (SELECT json_group_array(json_object('class', class, 'side', side,
                                            'ns', ns, 'measured', measured))
          FROM (SELECT * FROM answer_share s WHERE s.answer_id = a.id
                 ORDER BY s.ns DESC, class, side)) AS shares
  FROM answer a
 WHERE :job IS NULL OR a.job = :job
 ORDER BY a.id LIMIT 1000

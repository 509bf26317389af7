-- How many CE marks and CNPs do several taps count more than once?
-- To be taken off the sums of table tap: what a flow that several places of
-- capture saw has at the others, beside the one where it shows most.
--
-- column ce count  packets marked ECN CE
-- column cnp count  congestion notifications
--
-- example fabscope query DB marks-dedup
WITH shared AS (
  SELECT flow_id, counted_id FROM same_flow /*scan*/
   UNION
  SELECT counted_id, counted_id FROM same_flow /*scan*/)
SELECT ifnull(sum(ce), 0) AS ce, ifnull(sum(cnp), 0) AS cnp
  FROM (SELECT sum(ce) - max(ce) AS ce, sum(cnp) - max(cnp) AS cnp
          FROM shared
         CROSS JOIN flow ON flow.id = shared.flow_id
         GROUP BY counted_id)

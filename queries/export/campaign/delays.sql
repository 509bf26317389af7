-- How are the one-way delays of whole paths distributed?
-- Between the outermost capture points of each way, by the clocks as they were
-- corrected: the steps of a histogram over all paths.
--
-- column from_ns duration  the step begins here
-- column to_ns duration  and ends there
-- column count count  packets in it
--
-- example fabscope query DB campaign/delays
SELECT d.from_ns, d.to_ns, sum(d.count) AS count
  FROM segment s /*scan*/
  JOIN segment_delay d /*scan*/ ON d.segment_id = s.id
 WHERE s.whole
 GROUP BY d.from_ns, d.to_ns
 ORDER BY d.from_ns, d.to_ns

-- 10 to 12 What can only the job, the operator or a second capture tell?
--
-- into kpi
WITH want(name, section, place, unit, class, missing) AS (
  VALUES
  ('Scale limit', '11.1', 1, 'accelerators', 'EXT',
   'a series of results with more and more accelerators'),
  ('Routing convergence after clearing adjacencies', '11.1', 2, 'ms', 'NO',
   'a capture of the routing protocol'),
  ('JCT overhead of the failure iteration', '11.2', 3, 'ms', 'NT',
   'iterations, and the time of the failure'),
  ('Time to redistribute flows', '11.2', 4, 'ms', 'NT',
   'taps at all parallel links, and the time of the failure'),
  ('Failure iteration within P99 of the others', '11.3', 1, 'yes/no', 'NT',
   '100 iterations, and the time of the failure'),
  ('Standard deviation of the JCT ratio over 24 h', '12.1', 1, 'ratio', 'EXT',
   'a run of 24 hours, and the JCT ratio'))
SELECT name, section, place, NULL AS value, unit, class, NULL AS confidence,
       missing, NULL AS note, NULL AS samples
  FROM want
UNION ALL
SELECT 'Time to train', '10.2', 1, (max(last_ns) - min(first_ns)) / 6e10, 'min',
       'EXT', 0.8, 'the log of the training run (--evidence)',
       'from the first to the last step of the log', count(*)
  FROM job_note /*scan*/ WHERE kind = 'step' AND last_ns IS NOT NULL
UNION ALL
SELECT 'Tokens per second', '10.2', 2,
       ifnull(sum(rate * length_ns) / sum(length_ns), avg(rate)), '1/s', 'EXT',
       0.8, 'the log of the training run (--evidence)',
       'as the log says, mean over its steps', count(*)
  FROM job_note /*scan*/ WHERE kind = 'step' AND rate IS NOT NULL

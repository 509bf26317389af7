-- 4.1 How long did the job take, and against what?
-- The job with most bytes whose iterations are known.
--
-- into kpi
WITH j AS MATERIALIZED (
  SELECT *, 8e9 * rank_bytes / nullif(rate_bps, 0) AS wire_ns
    FROM job WHERE iterations > 0 ORDER BY id LIMIT 1),
why AS (
  SELECT 'iterations: '
         || ifnull((SELECT why_not FROM job WHERE why_not IS NOT NULL
                     ORDER BY id LIMIT 1),
                   'they cannot be identified in this capture') AS text)
SELECT 'Job Completion Time (JCT)' AS name, '4.1' AS section, 1 AS place,
       jct_ns / 1e9 AS value, 's' AS unit, 'NT' AS class,
       j.confidence AS confidence, why.text AS missing,
       'network JCT: ' || plural(iterations, 'iteration') || ' of job '
         || j.id || ', ' || j.ranks_tapped || ' of ' || j.ranks
         || ' ranks tapped' AS note,
       iterations AS samples
  FROM why LEFT JOIN j
UNION ALL
SELECT 'JCT Ratio', '4.1', 2, NULL, 'ratio', 'EXT', NULL,
       'computation time (C) and message size (S) of the job: fabscope jct',
       NULL, NULL
UNION ALL
SELECT 'Communication-time ratio', '4.1', 2,
       comm_ns / (iterations * wire_ns), 'ratio', 'NT', 0.5,
       CASE WHEN iterations > 0 THEN 'the speed of the links (--topology)'
            ELSE why.text END,
       'not in the draft: time of all phases over the time the link needs '
         || 'for the bytes a rank sent; link rate '
         || CASE rate_source WHEN 'link' THEN 'as configured'
                 ELSE 'estimated from the fastest seen' END, iterations
  FROM why LEFT JOIN j
UNION ALL
SELECT 'JCT interference factor', '10.3', 1, max(i.factor), 'ratio', 'NT', 0.5,
       'a second result of the job alone, and fabscope diff; or 20 phases with '
         || 'and 20 without the other job communicating',
       'estimated interference, the most of all pairs of jobs: phases while '
         || 'another job communicates, over phases while it does not',
       sum(i.phases_with)
  FROM interference i /*scan*/

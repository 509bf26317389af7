-- Where did the time of a job go, and how long would it have taken without each cause?
-- The shares of its answer: what it waited for at each moment, followed back from
-- the end of each phase.  They add up to the whole time of the job.
-- param job id NULL  one job only
-- column job id  job.id
-- column class word  as in table answer_share
-- column side text  needed network host unknown
-- column time_ns duration  time of the job
-- column share share  of its time
-- column measured word  how most of it was measured
-- column phases count  phases in which it happened; NULL no phases were found
-- column gain_ns duration  so much shorter without it; NULL whether is not known
-- column jct_without_ns duration  job time without it; likewise
-- column worst_rank count  who was waited for longest
-- column worst_host text  its address
-- column worst_ns duration  so long
-- example fabscope query DB job-causes
WITH r AS (
  SELECT job, class, side, rank, sum(time_ns) AS ns,
         row_number() OVER (PARTITION BY job, class, side
                            ORDER BY sum(time_ns) DESC, rank) AS nth
    FROM phase_share /*scan*/
   WHERE rank IS NOT NULL AND (:job IS NULL OR job = :job)
   GROUP BY job, class, side, rank),
n AS (
  SELECT job, class, side, count(DISTINCT phase_id) AS phases
    FROM phase_share /*scan*/
   WHERE :job IS NULL OR job = :job
   GROUP BY job, class, side)
SELECT a.job, s.class, s.side, s.ns AS time_ns,
       1.0 * s.ns / nullif(a.total_ns, 0) AS share, s.measured,
       nullif(n.phases, 0) AS phases,
       CASE s.side WHEN 'needed' THEN 0 WHEN 'unknown' THEN NULL
                   ELSE s.ns END AS gain_ns,
       a.total_ns - CASE s.side WHEN 'needed' THEN 0 WHEN 'unknown' THEN NULL
                                ELSE s.ns END AS jct_without_ns,
       r.rank AS worst_rank, k.address AS worst_host, r.ns AS worst_ns
  FROM answer a
  JOIN answer_share s ON s.answer_id = a.id
  LEFT JOIN n ON n.job = a.job AND n.class = s.class AND n.side = s.side
  LEFT JOIN r ON r.job = a.job AND r.class = s.class AND r.side = s.side
             AND r.nth = 1
  LEFT JOIN job_rank k ON k.job = a.job AND k.rank = r.rank
 WHERE a.scope = 'job' AND (:job IS NULL OR a.job = :job)
 ORDER BY a.job, s.ns DESC, s.class, s.side LIMIT 1000

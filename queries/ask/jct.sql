-- How long did each job take, and how long would it take at line rate?
-- The roofline is iterations x (C + what a rank sends / rate).  C, the time of
-- computing, is not in packets: unless it is given, the shortest time without
-- communication before an iteration stands for it.  What a rank sends is S x f
-- (f is 2(n-1)/n for an all-reduce, (n-1)/n for half of it and for an
-- all-to-all), or, when S is not given, what it sent here.  JCT is from the
-- begin of the first iteration to the end of the last.  The computation before
-- the first packet is in no capture: the ratio is (JCT + C) / roofline.  In a
-- time window: that of the phases that lie in it.
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param compute duration NULL  C, of one iteration
-- param size bytes NULL  S, bytes of the collective
-- param ranks count NULL  ranks of the communicator, when it is not those seen
-- param rate rate NULL  of a rank's link
-- column job id  job.id
-- column uet_job_id id  UET: JobID
-- column ranks count  hosts
-- column ranks_tapped count  of these, what they exchange is here
-- column servers count  whose NICs they are; NULL: not known of each
-- column iterations count  NULL: not identifiable
-- column why_not text  then, why
-- column confidence share  that these are the iterations
-- column pattern word  traffic pattern
-- column pattern_confidence share  confidence of that
-- column collective text  which collective that may be; NULL: not known
-- column collective_confidence share  confidence of that
-- column groups text  which groups its ranks form: data, pipeline, expert, tensor parallelism
-- column layout text  rail-only: rails in step, each on hosts of its own, in this job or as jobs
-- column layout_confidence share  confidence of that
-- column rails count  how many that are
-- column jct_ns duration  job completion time, of what the capture has
-- column comm_ns duration  of this, communication
-- column phase_p50_ns duration  the median phase
-- column compute_ns duration  C
-- column compute_source text  given, estimated
-- column rank_bytes bytes  what a rank sends in an iteration
-- column bytes_source text  given, seen
-- column rate_bps rate  of a rank's link
-- column rate_source text  given; link: speed in the capture; seen: the fastest observed
-- column roofline_ns duration  JCT at line rate
-- column jct_ratio real  (JCT + C) / roofline; NULL: C or S is not given
-- column jct_ratio_estimated real  the same, with what is estimated
-- column comm_ratio real  communication time / its time at line rate
-- column busbw_bps rate  wire busbw (algorithm-agnostic) of the median phase
-- column links_seen count  ranks that is counted over
-- column first_ns time  first packet with data
-- column last_ns time  last
-- column whole flag  0: of a file only its first part, of a live analysis the last
-- column busbw_label text  what the bandwidth is
-- example fabscope query DB jct --param size=4194304 --param compute=300000
WITH span(a, z) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62)
   WHERE coalesce(:from, :to) IS NOT NULL),
inside AS (
  SELECT p.*, row_number() OVER (PARTITION BY job ORDER BY last_ns - first_ns)
           AS by_length,
         row_number() OVER (PARTITION BY job, busbw_bps IS NULL
                                ORDER BY busbw_bps) AS by_rate,
         count(*) OVER (PARTITION BY job) AS n,
         count(busbw_bps) OVER (PARTITION BY job) AS rated
    FROM span s, phase p /*scan*/
   WHERE p.first_ns >= s.a AND p.last_ns <= s.z AND NOT ifnull(p.cut, 0)),
then_there AS (
  SELECT job, count(DISTINCT iteration) AS iterations,
         max(last_ns) - min(first_ns) AS jct_ns,
         sum(last_ns - first_ns) AS comm_ns,
         CAST(avg(CASE WHEN by_length IN ((n + 1) / 2, n / 2 + 1)
                       THEN last_ns - first_ns END) AS INTEGER)
           AS phase_p50_ns,
         CAST(avg(CASE WHEN by_rate IN ((rated + 1) / 2, rated / 2 + 1)
                       THEN busbw_bps END) AS INTEGER) AS busbw_p50_bps
    FROM inside GROUP BY job),
job_times AS (
  SELECT id, iterations, why_not, jct_ns, comm_ns, phase_p50_ns, busbw_p50_bps,
         first_ns, last_ns
    FROM job /*scan*/
   WHERE NOT EXISTS (SELECT 1 FROM span)
  UNION ALL
  SELECT j.id, iif(j.iterations IS NULL, NULL, t.iterations),
         iif(j.iterations IS NOT NULL AND t.job IS NULL,
             'no whole phase lies in the span', j.why_not),
         t.jct_ns, t.comm_ns, t.phase_p50_ns, t.busbw_p50_bps,
         max(j.first_ns, s.a), min(j.last_ns, s.z)
    FROM span s, job j /*scan*/
    LEFT JOIN then_there t ON t.job = j.id
   WHERE j.last_ns >= s.a AND j.first_ns <= s.z),
a AS (
  SELECT j.id, j.uet_job_id, j.ranks, j.ranks_tapped, t.iterations, t.why_not,
         j.confidence, j.pattern, j.pattern_confidence, j.collective,
         j.collective_confidence, j.groups, j.layout, j.layout_confidence,
         coalesce(j.layout_jobs, j.rails) AS rails,
         t.jct_ns, t.comm_ns, t.phase_p50_ns, j.rank_bytes, j.rate_source,
         t.busbw_p50_bps, j.links_seen, t.first_ns, t.last_ns, j.whole,
         coalesce(:ranks, j.ranks / j.rails) AS n, coalesce(:rate, j.rate_bps) AS rate,
         coalesce(:compute, j.compute_ns) AS c
    FROM job_times t
    JOIN job j ON j.id = t.id),
b AS (
  SELECT a.*,
         CASE WHEN :size IS NULL THEN a.rank_bytes
              WHEN a.pattern = 'all-to-all' THEN 1.0 * :size * (n - 1) / n
              WHEN a.pattern IN ('broadcast', 'reduce', 'pipeline',
                                 'exchange') THEN 1.0 * :size
              WHEN a.collective IN ('all-gather or reduce-scatter',
                                    'all-gather', 'reduce-scatter')
                   OR (a.collective IS NULL
                       AND a.rank_bytes < 1.5 * :size * (n - 1) / n
                       AND a.pattern IN ('ring', 'double-ring'))
              THEN 1.0 * :size * (n - 1) / n
              ELSE 2.0 * :size * (n - 1) / n END AS sends
    FROM a),
d AS (
  SELECT b.*, iterations * (c + sends * 8e9 / rate) AS roof,
         iterations * rank_bytes * 8e9 / rate AS wire
    FROM b)
SELECT id AS job, uet_job_id, ranks, ranks_tapped,
       (SELECT CASE WHEN count(server) = count(*)
                    THEN count(DISTINCT server) END
          FROM job_rank WHERE job = d.id) AS servers, iterations, why_not,
       CASE WHEN iterations IS NOT NULL THEN confidence END AS confidence,
       pattern,
       CASE WHEN pattern IS NOT NULL THEN pattern_confidence END
         AS pattern_confidence,
       collective,
       CASE WHEN collective IS NOT NULL THEN collective_confidence END
         AS collective_confidence,
       groups, layout, layout_confidence, rails, jct_ns, comm_ns, phase_p50_ns, CAST(c AS INTEGER) AS compute_ns,
       CASE WHEN c IS NULL OR iterations IS NULL THEN NULL
            WHEN :compute IS NOT NULL THEN 'given'
            ELSE 'estimated' END AS compute_source,
       CAST(CASE WHEN iterations IS NOT NULL THEN sends END AS INTEGER)
         AS rank_bytes,
       CASE WHEN iterations IS NOT NULL
            THEN iif(:size IS NULL, 'seen', 'given') END AS bytes_source,
       rate AS rate_bps,
       CASE WHEN rate IS NOT NULL
            THEN iif(:rate IS NULL, rate_source, 'given') END AS rate_source,
       CAST(roof AS INTEGER) AS roofline_ns,
       CASE WHEN :compute IS NOT NULL AND :size IS NOT NULL
            THEN round((jct_ns + c) / roof, 4) END AS jct_ratio,
       CASE WHEN :compute IS NULL OR :size IS NULL
            THEN round((jct_ns + c) / roof, 4) END AS jct_ratio_estimated,
       round(comm_ns / wire, 4) AS comm_ratio,
       busbw_p50_bps AS busbw_bps, links_seen, first_ns, last_ns, whole,
       CASE WHEN busbw_p50_bps IS NOT NULL
            THEN 'wire busbw (algorithm-agnostic), ' || links_seen || ' of '
                 || coalesce(:ranks, ranks) || ' ranks' END AS busbw_label
  FROM d
 ORDER BY id LIMIT 100

-- 4.1, 5.2 How long does a packet take through the fabric?
-- Where several segments are whole paths: mean and P50 by their packets, so that
-- P50 is that of the path in the middle; of the others the slowest.
--
-- into kpi
WITH s AS (
  SELECT count(*) AS n, sum(packets) AS packets,
         min(delay_min_ns) / 1e3 AS least,
         sum(1.0 * delay_mean_ns * packets)
           / nullif(sum(packets) FILTER (WHERE delay_mean_ns IS NOT NULL), 0)
           / 1e3 AS mean,
         max(delay_p95_ns) / 1e3 AS p95, max(delay_p99_ns) / 1e3 AS p99, max(delay_p999_ns) / 1e3 AS p999,
         max(delay_max_ns) / 1e3 AS most, max(delay_error_ns) AS error,
         sum(delay_min_ns IS NULL) AS untied
    FROM segment /*scan*/ WHERE whole),
m AS (
  SELECT delay_p50_ns / 1e3 AS p50
    FROM (SELECT delay_p50_ns,
                 sum(packets) OVER (ORDER BY delay_p50_ns, id) AS upto,
                 sum(packets) OVER () AS whole_packets
            FROM segment /*scan*/ WHERE whole AND delay_p50_ns IS NOT NULL)
   WHERE 2 * upto >= whole_packets
   ORDER BY upto LIMIT 1),
c AS (
  SELECT CASE WHEN untied > 0 THEN 'clocks of the capture points that are '
                                   || 'tied to each other'
              ELSE 'two capture points with one clock (100 ns) on the path of '
                   || 'the same packets' END AS missing,
         'between the outermost capture points of '
           || plural(n, 'path') || '; clocks may be off by '
           || ifnull(human_ns(error), 'an unknown time') AS note,
         CASE WHEN error <= 100 THEN 0.9 WHEN error <= 1000 THEN 0.7
              ELSE 0.5 END AS confidence
    FROM s),
v(name, section, place, value) AS (
  SELECT 'Tail Latency P99', '4.1', 9, p99 FROM s
  UNION ALL SELECT 'Tail Latency P99.9', '4.1', 10, p999 FROM s
  UNION ALL SELECT 'One-way latency, min', '5.2', 1, least FROM s
  UNION ALL SELECT 'One-way latency, mean', '5.2', 2, mean FROM s
  UNION ALL SELECT 'One-way latency, P50', '5.2', 3, (SELECT p50 FROM m)
  UNION ALL SELECT 'One-way latency, P95', '5.2', 4, p95 FROM s
  UNION ALL SELECT 'One-way latency, max', '5.2', 7, most FROM s)
SELECT v.name, v.section, v.place, v.value, 'us' AS unit, 'NT' AS class,
       c.confidence,
       c.missing,
       CASE WHEN s.n > 1 AND v.name LIKE '%P9%' THEN 'of the slowest path; '
            ELSE '' END || c.note AS note, s.packets AS samples
  FROM v, c, s

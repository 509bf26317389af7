-- 7.1, 7.2, 7.4 What do marks and pauses say of thresholds and storms?
--
-- into kpi
WITH can AS (
  SELECT max(verdict <> 'no') AS pfc,
         'PFC frames in the capture (TAP, or a mirror that copies them): '
           || ifnull(max(why), 'there are no packets') AS why
    FROM observability WHERE what = 'pfc'),
t AS (SELECT min(first_ns) AS first_ns FROM tap),
s AS (
  SELECT min(first_ns) AS first_ns, count(*) AS n,
         sum(level LIKE 'deadlock%') AS locks,
         max(depth) AS depth, max(longest_ns) AS longest
    FROM storm WHERE level <> 'heavy')
SELECT 'ECN threshold deviation' AS name, '7.1' AS section, 1 AS place,
       NULL AS value, '%' AS unit, 'TEL' AS class, NULL AS confidence,
       'queue depth reported by switches (telemetry), and the configured threshold' AS missing,
       NULL AS note, NULL AS samples
UNION ALL
SELECT 'PFC storms', '7.2', 3, CASE WHEN can.pfc THEN s.n END, 'events', 'NT',
       0.8, can.why, 'pauses longer than PFC watchdog thresholds: query storms', s.n
  FROM can, s
UNION ALL
SELECT 'PFC storm onset', '7.2', 4, (s.first_ns - t.first_ns) / 1e6, 'ms',
       'NT', 0.8, CASE WHEN can.pfc THEN 'a storm: there was none'
                       ELSE can.why END, 'from the first packet on', s.n
  FROM can, s, t
UNION ALL
SELECT 'PFC headroom', '7.2', 6, NULL, 'bytes', 'TEL', NULL,
       'queue and headroom watermarks of the switches', NULL, NULL
UNION ALL
SELECT 'PFC deadlocks', '7.4', 1, CASE WHEN can.pfc THEN ifnull(s.locks, 0) END,
       'events', 'NT', 0.7, can.why, 'suspected ones included', s.n
  FROM can, s
UNION ALL
SELECT 'Pause propagation', '7.4', 2, CASE WHEN can.pfc THEN s.depth END,
       'links', 'NT', 0.7, CASE WHEN can.pfc THEN 'a storm: there was none'
                                ELSE can.why END,
       'tapped links in a row', s.n
  FROM can, s
UNION ALL
SELECT 'Watchdog events', '7.4', 3, NULL, 'events', 'NO', NULL,
       'counters of the switches; thresholds that pauses crossed are in '
         || 'findings', NULL, NULL

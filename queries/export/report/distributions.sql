-- How are latencies, delays and waiting times distributed?
-- Fifty classes for each power of ten.  All messages that were captured from
-- begin to end count, and all packets that were looked at at two capture points.
--
-- column family text  message, delay, other: what is comparable
-- column what text  of what
-- column class count  its place: 50 times the logarithm of where it begins
-- column from_ns duration  the class begins here
-- column to_ns duration  and ends there
-- column count count  how many
-- column below share  of all of this sort, up to here
--
-- example fabscope query DB report/distributions
WITH one AS (
  SELECT 'message' AS family,
         m.transport || ' ' || words(m.op)
           || iif((SELECT count(*) FROM tap) > 1, ' at ' || t.name, '') AS what,
         (m.from_ns + m.to_ns) / 2 AS ns, m.count
    FROM message_latency m /*scan*/
    JOIN tap t ON t.id = m.tap_id
  UNION ALL
  SELECT 'delay', a.name || ' to ' || b.name, (d.from_ns + d.to_ns) / 2,
         d.count
    FROM segment_delay d /*scan*/
    JOIN segment s ON s.id = d.segment_id
    JOIN tap a ON a.id = s.from_tap_id
    JOIN tap b ON b.id = s.to_tap_id
  UNION ALL
  SELECT 'other', 'CNP after CE mark', latency_max_ns, 1 FROM cnp /*scan*/
   WHERE clean = 1 AND ifnull(flow_id, 0) NOT IN (SELECT flow_id FROM same_flow)
  UNION ALL
  SELECT 'other', 'loss recovery', last_ns - first_ns, 1 FROM recovery /*scan*/
   WHERE flow_id NOT IN (SELECT flow_id FROM same_flow)
  UNION ALL
  SELECT 'other', 'pause', paused_ns, 1 FROM pause /*scan*/),
classes AS (
  SELECT family, what, CAST(floor(50 * log10(max(ns, 1))) AS INTEGER) AS class,
         sum(count) AS n
    FROM one WHERE ns >= 0
   GROUP BY family, what, class)
SELECT family, what, class, CAST(round(pow(10, class / 50.0)) AS INTEGER) AS from_ns,
       CAST(round(pow(10, (class + 1) / 50.0)) AS INTEGER) AS to_ns,
       n AS count,
       1.0 * sum(n) OVER (PARTITION BY family, what ORDER BY class)
         / sum(n) OVER (PARTITION BY family, what) AS below
  FROM classes
 ORDER BY iif(family = 'message', 0, iif(family = 'delay', 1, 2)), what, class

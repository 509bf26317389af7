-- 4.1, 5.2 How long does a packet take through the fabric?
WITH want(name, section, place) AS (
  VALUES ('Tail Latency P99', '4.1', 9), ('Tail Latency P99.9', '4.1', 10),
         ('One-way latency, min', '5.2', 1),
         ('One-way latency, mean', '5.2', 2),
         ('One-way latency, P50', '5.2', 3),
         ('One-way latency, P95', '5.2', 4),
         ('One-way latency, max', '5.2', 7))
SELECT name, section, place, NULL AS value, 'us' AS unit, 'NT' AS class,
       NULL AS confidence,
       'two capture points with one clock (100 ns) on the way of the same '
         || 'packets' AS missing, NULL AS note, NULL AS samples
  FROM want

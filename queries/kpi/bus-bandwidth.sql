-- 4.1, 6.6, 9.1 to 9.3 What did a rank get out of a collective?
WITH want(name, section, place) AS (
  VALUES ('Bus Bandwidth (BusBW)', '4.1', 3),
         ('AllReduce BusBW over UET', '6.6', 1),
         ('AllReduce BusBW, mean', '9.1', 1),
         ('AllReduce BusBW, P50', '9.1', 2),
         ('AllReduce BusBW, P95', '9.1', 3),
         ('AllReduce BusBW, P99', '9.1', 4),
         ('AlltoAll JCT per iteration', '9.2', 1),
         ('AllGather BusBW, mean', '9.3', 1))
SELECT name, section, place, NULL AS value,
       CASE WHEN name LIKE '%JCT%' THEN 'ms' ELSE 'Gbit/s' END AS unit,
       'NT' AS class, NULL AS confidence,
       'iterations: they cannot be identified in this capture' AS missing,
       NULL AS note, NULL AS samples
  FROM want

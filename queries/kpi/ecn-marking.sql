-- How much was marked, and how many notifications were there?
-- The draft divides by all packets; of those that can be marked is of more use.
WITH seen AS (
  SELECT ifnull(sum(ce), 0) AS ce,
         ifnull(sum(packets_roce + packets_cnp), 0) AS packets,
         ifnull(sum(packets_cnp), 0) AS cnp,
         max(last_ns) - min(first_ns) AS ns FROM tap),
data AS (
  SELECT sum(ce_data) AS ce, sum(ect_data + ce_data) AS markable
    FROM flow /*scan*/),
can AS (
  SELECT max(verdict <> 'no') FILTER (WHERE what = 'ce') AS ce,
         max(verdict <> 'no') FILTER (WHERE what = 'cnp') AS cnp,
         max(why) FILTER (WHERE what = 'ce') AS why_ce,
         max(why) FILTER (WHERE what = 'cnp') AS why_cnp
    FROM observability)
SELECT 'ECN marking ratio' AS name,
       CASE WHEN can.ce THEN 1.0 * seen.ce / nullif(packets, 0) END AS value,
       'of packets' AS unit, '1T' AS class,
       CASE WHEN can.ce THEN 0.6 END AS confidence,
       CASE WHEN NOT ifnull(can.ce, 0)
            THEN ifnull(why_ce, 'no packets') END AS missing
  FROM seen, can
UNION ALL
SELECT 'ECN marking ratio of markable data',
       CASE WHEN can.ce THEN 1.0 * data.ce / nullif(markable, 0) END,
       'of data packets', '1T', CASE WHEN can.ce THEN 0.6 END,
       CASE WHEN NOT ifnull(can.ce, 0) THEN ifnull(why_ce, 'no packets') END
  FROM data, can
UNION ALL
SELECT 'CNP rate',
       CASE WHEN can.cnp THEN 1e9 * seen.cnp / nullif(ns, 0) END, '1/s', '1T',
       CASE WHEN can.cnp THEN 0.9 END,
       CASE WHEN NOT ifnull(can.cnp, 0) THEN ifnull(why_cnp, 'no packets') END
  FROM seen, can

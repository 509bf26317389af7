-- How much was marked, and how many notifications were there?
-- The draft divides by all packets; of the ECN-capable ones is of more use.
-- into kpi
-- uses marks-dedup
WITH seen AS (
  SELECT ifnull(sum(ce), 0) AS ce,
         ifnull(sum(packets_roce + packets_cnp + packets_uet), 0) AS packets,
         ifnull(sum(packets_cnp), 0) - (SELECT cnp FROM marks_dedup) AS cnp,
         sum(packets_roce) AS roce,
         max(last_ns) - min(first_ns) AS ns FROM tap),
data AS (
  SELECT sum(ce_data) AS ce, sum(ect_data + ce_data) AS markable
    FROM flow_sum /*scan*/),
can AS (
  SELECT max(verdict <> 'no') FILTER (WHERE what = 'ce') AS ce,
         max(verdict <> 'no') FILTER (WHERE what = 'cnp') AS cnp,
         max(why) FILTER (WHERE what = 'ce') AS why_ce,
         max(why) FILTER (WHERE what = 'cnp') AS why_cnp
    FROM observability)
SELECT 'ECN Marking Ratio' AS name, '4.2' AS section, 1 AS place,
       CASE WHEN can.ce THEN 100.0 * seen.ce / nullif(packets, 0) END AS value,
       '%' AS unit, '1T' AS class, 0.6 AS confidence,
       'observable CE marks: ' || ifnull(why_ce, 'there are no packets')
         AS missing,
       'marks set upstream of this capture point' AS note, packets AS samples
  FROM seen, can
UNION ALL
SELECT 'ECN marking ratio of ECN-capable data', '4.2', 2,
       CASE WHEN can.ce THEN 100.0 * data.ce / nullif(markable, 0) END,
       '%', '1T', 0.6,
       'observable CE marks: ' || ifnull(why_ce, 'there are no packets'),
       'of ECN-capable packets with payload', markable
  FROM data, can
UNION ALL
SELECT 'CNP rate', '4.2', 3,
       CASE WHEN can.cnp AND roce > 0
            THEN 1e9 * seen.cnp / nullif(ns, 0) END, '1/s', '1T',
       0.9, CASE WHEN can.cnp THEN 'RoCE traffic'
                 ELSE 'observable CNPs: '
                      || ifnull(why_cnp, 'there are no packets') END,
       'not in the draft', seen.cnp
  FROM seen, can

-- Can the two results be compared, and what has to be kept in mind?
--
-- column what text  what the results are made of
-- column a text  of the first
-- column b text  of the second
-- column remark text  what the difference means; NULL: nothing
WITH q AS (
  SELECT what, min(place) AS place,
         max(text) FILTER (WHERE side = 'a') AS a,
         max(text) FILTER (WHERE side = 'b') AS b,
         max(value) FILTER (WHERE side = 'a') AS va,
         max(value) FILTER (WHERE side = 'b') AS vb
    FROM compared_quality /*scan*/ GROUP BY what)
SELECT what, a, b, remark
  FROM (
SELECT place, what, a, b,
       CASE
       WHEN what = 'length' AND abs(ifnull(va, 0) - ifnull(vb, 0))
            > 0.1 * max(ifnull(va, 0), ifnull(vb, 0))
       THEN 'different lengths: counts are compared per second'
       WHEN what = 'taps' AND a IS NOT b
       THEN 'different capture points: what only one of them shows is no change'
       WHEN what = 'hosts' AND va IS NOT vb THEN 'different hosts'
       WHEN what = 'flows' AND va IS NOT vb
       THEN 'different numbers of flows: their figures have different weights'
       WHEN what IN ('RoCE packets', 'Ultra Ethernet packets')
            AND (va > 0) <> (vb > 0) THEN 'another transport'
       WHEN what = 'not captured' AND (va > 0.01 OR vb > 0.01)
       THEN 'too many packets not captured: loss cannot be compared'
       WHEN what LIKE 'capture misses too much%' AND (va OR vb)
       THEN 'loss cannot be compared'
       WHEN what = 'both directions' AND abs(va - vb) > 0.1
       THEN 'losses and latencies are known of fewer flows'
       WHEN what = 'snaplen' AND va IS NOT vb THEN NULL
       WHEN what = 'iterations' AND (va IS NULL) <> (vb IS NULL)
       THEN 'iterations are known of only one of them'
       WHEN what LIKE '% observable' AND a IS NOT b
       THEN 'not observable in both'
       WHEN what LIKE 'not stored%' THEN 'a row limit was reached' END AS remark
  FROM q
UNION ALL
SELECT 7, 'flows with data, of those',
       human_count(count(*) FILTER (WHERE side = 'a')),
       human_count(count(*) FILTER (WHERE side = 'b')),
       CASE WHEN NOT max(both)
            THEN 'no flow is in both: other hosts, or another job'
            WHEN NOT min(both)
            THEN human_count(sum(both) / 2) || ' of them are in both' END
  FROM (SELECT side, match IN (SELECT match FROM compared_flow /*scan*/
                                GROUP BY match
                               HAVING min(side) <> max(side)) AS both
          FROM compared_flow /*scan*/)
HAVING count(*) > 0)
 ORDER BY place, what

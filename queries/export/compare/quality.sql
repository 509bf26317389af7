-- What is this result made of, as far as a comparison depends on it?
--
-- into compared_quality
WITH t AS (
  SELECT count(*) AS taps, sum(packets) AS packets,
         nullif(max(last_ns) - min(first_ns), 0) AS ns,
         max(snaplen) AS snaplen,
         sum(packets_roce) AS roce, sum(packets_uet) AS uet,
         (SELECT group_concat(name, ', ')
            FROM (SELECT name FROM tap /*scan*/ ORDER BY name LIMIT 20))
           AS names
    FROM tap /*scan*/),
c AS (
  SELECT sum(capture_missing) AS missing, sum(checked) AS checked,
         max(low_confidence) AS low,
         (SELECT sum(flows) FROM service /*scan*/) AS flows,
         1.0 * sum(packets_both) / nullif(sum(connected_packets), 0) AS both
    FROM coverage),
h AS (
  SELECT count(*) AS hosts
    FROM (SELECT src FROM flow /*scan*/ UNION SELECT dst FROM flow /*scan*/)),
j AS (
  SELECT count(*) AS jobs, sum(iterations) AS iterations FROM job),
v(place, what, value, text) AS (
  SELECT 1, 'length', ns, human_ns(ns) FROM t
  UNION ALL SELECT 2, 'packets', packets, human_count(packets) FROM t
  UNION ALL SELECT 3, 'RoCE packets', roce, human_count(roce) FROM t
  UNION ALL SELECT 4, 'Ultra Ethernet packets', uet, human_count(uet) FROM t
  UNION ALL SELECT 5, 'taps', NULL, names FROM t
  UNION ALL SELECT 6, 'hosts', hosts, human_count(hosts) FROM h
  UNION ALL SELECT 7, 'flows', flows, human_count(flows) FROM c
  UNION ALL SELECT 8, 'both directions', both, human_share(both) FROM c
  UNION ALL SELECT 9, 'not captured', 1.0 * missing / checked,
                   human_share(1.0 * missing / checked) FROM c
  UNION ALL SELECT 10, 'capture misses too much for loss verdicts', low,
                   CASE low WHEN 0 THEN 'no' WHEN 1 THEN 'yes' END FROM c
  UNION ALL SELECT 11, 'snaplen', snaplen, ifnull(snaplen, 'none') FROM t
  UNION ALL SELECT 12, 'jobs', jobs, human_count(jobs) FROM j
  UNION ALL SELECT 13, 'iterations', iterations, human_count(iterations)
              FROM j
  UNION ALL SELECT 14, 'not stored, ' || table_name, not_stored,
                   human_count(not_stored) FROM row_limit /*scan*/
             WHERE not_stored > 0 AND table_name <> 'message')
SELECT place, what, value, text FROM v
UNION ALL
SELECT 20, words(what) || ' observable', NULL,
       CASE WHEN max(verdict = 'yes') THEN 'yes'
            WHEN max(verdict = 'partial') THEN 'in part' ELSE 'no' END
  FROM observability /*scan*/ GROUP BY what

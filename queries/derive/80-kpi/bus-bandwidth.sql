-- 4.1, 6.6, 9.1 to 9.3 What did a rank get out of a collective?
-- What a rank sent, per time of its phase: of a ring that is the bus bandwidth
-- of nccl-tests, of other algorithms it is not.  Of the job with most bytes
-- whose iterations are known.
--
-- into kpi
WITH j AS MATERIALIZED (
  SELECT * FROM job WHERE iterations > 0 ORDER BY id LIMIT 1),
p AS MATERIALIZED (
  SELECT busbw_bps / 1e9 AS bw, last_ns - first_ns AS ns, pattern,
         row_number() OVER (ORDER BY busbw_bps) AS rank,
         count(*) OVER () AS n
    FROM phase /*scan*/
   WHERE job = (SELECT id FROM j) AND busbw_bps IS NOT NULL
     AND NOT ifnull(cut, 0)),
uet AS (SELECT uet_job_id IS NOT NULL AS yes, pattern FROM j),
why AS (
  SELECT 'iterations: '
         || ifnull((SELECT why_not FROM job WHERE why_not IS NOT NULL
                     ORDER BY id LIMIT 1),
                   'they cannot be identified in this capture') AS text),
mean AS (SELECT avg(bw) AS bw, avg(ns) / 1e6 AS ms, count(*) AS n FROM p),
note AS (
  SELECT 'wire busbw (algorithm-agnostic) of ' || plural(links_seen, 'rank')
         || ' of ' || ranks || ', pattern '
         || ifnull(pattern, 'not recognized')
         || CASE WHEN mean.n < 100 THEN '; few: the draft wants 100 iterations'
                 ELSE '' END AS text, pattern
    FROM j, mean),
want(name, section, place, q) AS (
  VALUES ('Bus Bandwidth (BusBW)', '4.1', 3, 0.5),
         ('AllReduce BusBW, P50', '9.1', 2, 0.5),
         ('AllReduce BusBW, P95', '9.1', 3, 0.95),
         ('AllReduce BusBW, P99', '9.1', 4, 0.99))
SELECT w.name, w.section, w.place,
       CASE WHEN w.section = '4.1' OR note.pattern IN ('ring', 'double-ring',
                                                       'tree')
            THEN (SELECT min(bw) FROM p WHERE rank >= w.q * n) END AS value,
       'Gb/s' AS unit, 'NT' AS class, 0.6 AS confidence,
       CASE WHEN mean.n > 0 AND w.section <> '4.1'
            THEN 'a ring or a tree: the phases have pattern '
                 || ifnull(note.pattern, 'not recognized')
            ELSE why.text END AS missing,
       note.text || CASE WHEN w.section = '9.1'
                         THEN '; that it is an AllReduce is not in packets'
                         ELSE '' END AS note, mean.n AS samples
  FROM want w, why, mean LEFT JOIN note
UNION ALL
SELECT 'AllReduce BusBW, mean', '9.1', 1,
       CASE WHEN note.pattern IN ('ring', 'double-ring', 'tree')
            THEN mean.bw END, 'Gb/s', 'NT', 0.6,
       CASE WHEN mean.n > 0 THEN 'a ring or a tree' ELSE why.text END,
       note.text || '; that it is an AllReduce is not in packets', mean.n
  FROM why, mean LEFT JOIN note
UNION ALL
SELECT 'AllReduce BusBW over UET', '6.6', 1,
       CASE WHEN uet.yes AND uet.pattern IN ('ring', 'double-ring', 'tree')
            THEN mean.bw END, 'Gb/s', 'NT', 0.6,
       'Ultra Ethernet traffic of rings or trees, in iterations', note.text,
       mean.n
  FROM mean LEFT JOIN note LEFT JOIN uet
UNION ALL
SELECT 'AlltoAll JCT per iteration', '9.2', 1,
       CASE WHEN note.pattern = 'all-to-all' THEN mean.ms END, 'ms', 'NT', 0.6,
       CASE WHEN mean.n > 0 THEN 'an all-to-all: the phases have pattern '
                                 || ifnull(note.pattern, 'not recognized')
            ELSE why.text END, note.text, mean.n
  FROM why, mean LEFT JOIN note
UNION ALL
SELECT 'AllGather BusBW, mean', '9.3', 1, avg(busbw_bps) / 1e9, 'Gb/s', 'EXT',
       0.8, 'the record of the job (--job-log): on the wire it is a ring as '
              || 'others are', 'as the job recorded it', count(*)
  FROM collective /*scan*/ WHERE op = 'AllGather' AND busbw_bps IS NOT NULL
UNION ALL
SELECT 'AllReduce BusBW, as the job recorded it', '9.1', 5,
       avg(busbw_bps) / 1e9, 'Gb/s', 'EXT', 0.8,
       'the record of the job (--job-log)', 'mean of all ranks', count(*)
  FROM collective /*scan*/ WHERE op = 'AllReduce' AND busbw_bps IS NOT NULL

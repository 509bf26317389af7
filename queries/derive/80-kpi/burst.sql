-- 5.3 What burst does the fabric absorb?
-- Where the limit is, only a generator tells that steps bursts up to the first
-- loss.  What is sure: what passed in one go, without a silence, to one host, and
-- nothing of it was lost.
--
-- into kpi
WITH f AS (
  SELECT id FROM flow /*scan*/
   WHERE lost_upstream = 0 AND ifnull(lost_downstream_max, 0) = 0
     AND goodput_bytes > 0),
b AS (
  SELECT max(b.psns) AS frames, max(b.bytes) AS octets, count(*) AS n
    FROM burst b /*scan*/ WHERE b.flow_id IN (SELECT id FROM f)),
want(name, place, unit, value) AS (
  SELECT 'Burst absorption, frames', 1, 'frames', nullif(frames, 0) FROM b
  UNION ALL SELECT 'Burst absorption, bytes', 2, 'bytes', octets FROM b)
SELECT name, '5.3' AS section, place, value, unit, '1T' AS class,
       0.4 AS confidence,
       'flows that lost nothing; the limit needs bursts of a traffic '
         || 'generator, stepped up to the first loss' AS missing,
       'lower bound: the largest back-to-back burst that a flow sent without '
         || 'loss; the limit needs bursts of a traffic generator, stepped up to '
         || 'the first loss' AS note,
       b.n AS samples
  FROM want, b

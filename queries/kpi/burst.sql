-- 5.3 What burst does the fabric absorb?
WITH want(name, place, unit) AS (
  VALUES ('Burst absorption, frames', 1, 'frames'),
         ('Burst absorption, octets', 2, 'bytes'))
SELECT name, '5.3' AS section, place, NULL AS value, unit, 'EXT' AS class,
       NULL AS confidence,
       'the bursts of a traffic generator, stepped up to the first loss'
         AS missing, NULL AS note, NULL AS samples
  FROM want

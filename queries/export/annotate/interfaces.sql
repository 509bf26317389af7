-- What is to be said of which interface?
-- Findings that concern it alone, or none; then what is not observable there.
--
-- column name text  tap.name
-- column interface count  number in its section
-- column comment text  one line each
WITH said AS (
  SELECT t.id AS tap_id, 0 AS rank, n.id AS place,
         'fabscope finding ' || n.id || ' (' || n.severity ||
         ifnull(', ' || round(n.confidence * 100) || ' %', '') || '): ' ||
         n.title AS line
    FROM tap t
    JOIN finding n ON n.tap_id IS NULL OR n.tap_id = t.id
   UNION ALL
  SELECT tap_id, 1, what, 'fabscope: not observable at this capture point: ' || what ||
         ifnull(' (' || why || ')', '')
    FROM observability
   WHERE verdict = 'no' AND EXISTS (SELECT 1 FROM finding)
)
SELECT t.name, t.interface, group_concat(line, char(10)) AS comment
  FROM (SELECT * FROM said ORDER BY tap_id, rank, place) s
  JOIN tap t ON t.id = s.tap_id
 GROUP BY t.id
 ORDER BY t.name, t.id

-- What is to be said of which frame?
-- Findings whose evidence it is, then events that happened at it.
--
-- column frame count  frame number in the file
-- column comment text  one line each
WITH said AS (
  SELECT e.value ->> 'frame' AS frame, 0 AS rank, n.id,
         'fabscope finding ' || n.id || ' (' || n.severity ||
         ifnull(', ' || round(n.confidence * 100) || ' %', '') || '): ' ||
         n.title AS line
    FROM finding n, json_each(n.evidence, '$.frames') e
   UNION ALL
  SELECT frame, 1, id,
         'fabscope: ' || kind || ifnull(' (' || detail || ')', '')
    FROM event /*scan*/
)
SELECT frame, group_concat(line, char(10)) AS comment
  FROM (SELECT * FROM said WHERE frame > 0 ORDER BY frame, rank, id)
 GROUP BY frame
 ORDER BY frame

-- Where was it congested, and what does each name of a place mean?
-- The ports of each kind that the topology file has, and the answers and findings
-- that name one.
--
-- column place word  as in answer, finding, segment and pause_sender
-- column meaning text  what it is
-- column ports count  output ports of this kind
-- column findings count  findings that name it
-- column answers count  answers that name it
-- column places_at text  the ports named, or what they lie between; five
--
-- example fabscope query DB places
WITH named AS (
  SELECT place, place_at, 1 AS findings, 0 AS answers FROM finding
  UNION ALL
  SELECT place, place_at, 0, 1 FROM answer),
n AS (
  SELECT place, sum(findings) AS findings, sum(answers) AS answers
    FROM named GROUP BY place),
at AS (
  SELECT place, place_at,
         row_number() OVER (PARTITION BY place ORDER BY count(*) DESC, place_at)
           AS nth
    FROM named WHERE place IS NOT NULL GROUP BY place, place_at)
SELECT c.name AS place, c.meaning,
       (SELECT count(*) FROM port_place p /*scan*/ WHERE p.place = c.name)
         AS ports,
       ifnull(n.findings, 0) AS findings, ifnull(n.answers, 0) AS answers,
       (SELECT group_concat(place_at, '; ') FROM at
         WHERE at.place = c.name AND at.nth <= 5) AS places_at
  FROM congestion_place c
  LEFT JOIN n ON n.place = c.name
 ORDER BY n.answers DESC, n.findings DESC, ports DESC, c.name

-- Which switches did all packets of a flow pass?
-- Capture points at links between switches show it.  A flow that takes several
-- links of the switch of one of its hosts has no such path.
--
-- column flow id  flow.id, as in query flows of this folder
-- column node text  node.name of the switch
WITH passed AS (
  SELECT ifnull(s.counted_id, f.id) AS flow, t.from_node AS a, t.to_node AS b,
         f.packets, f.spray_suspect
    FROM flow f /*scan*/
    JOIN tap t ON t.id = f.tap_id
    LEFT JOIN same_flow s ON s.flow_id = f.id
   WHERE f.goodput_bytes > 0 AND t.from_node NOT NULL AND t.to_node NOT NULL
     AND NOT EXISTS (SELECT 1 FROM node n WHERE n.kind = 'host'
                        AND n.name IN (t.from_node, t.to_node))),
edge AS (
  SELECT p.flow, iif(l.a = n.node, l.b, l.a) AS node
    FROM (SELECT DISTINCT flow FROM passed) p
    JOIN flow f ON f.id = p.flow
    JOIN node_address n ON n.address IN (f.src, f.dst)
    JOIN link l ON n.node IN (l.a, l.b)),
forked AS (
  SELECT p.flow
    FROM passed p
    JOIN edge e ON e.flow = p.flow AND e.node IN (p.a, p.b)
   GROUP BY p.flow, e.node
  HAVING count(DISTINCT iif(p.a = e.node, p.b, p.a)) > 1),
whole AS MATERIALIZED (
  SELECT p.flow, p.a, p.b
    FROM passed p
    JOIN flow c ON c.id = p.flow
   WHERE p.packets >= 0.9 * c.packets AND p.spray_suspect IS NOT 1
     AND p.flow NOT IN (SELECT flow FROM forked))
SELECT flow, a AS node FROM whole
UNION
SELECT flow, b FROM whole
 ORDER BY 1, 2

-- Which hosts and switches does the topology file have?
-- A switch need not have a section of its own: what else links name is one.
--
-- column name text  node.name
-- column is_switch flag  1: a switch
-- column taps count  capture points at its links, where it is a host
WITH every(name, is_switch) AS (
  SELECT name, ifnull(kind, '') <> 'host' FROM node
   UNION
  SELECT e.name, 1
    FROM (SELECT a AS name FROM link UNION SELECT b FROM link) e
   WHERE NOT EXISTS(SELECT 1 FROM node n WHERE n.name = e.name))
SELECT name, is_switch,
       (SELECT count(*) FROM tap t
         WHERE t.from_node = every.name OR t.to_node = every.name) AS taps
  FROM every
 ORDER BY name

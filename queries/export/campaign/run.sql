-- What does a campaign say of a run besides its KPIs?
--
-- column verdict word  was it the network?
-- column reason text  why
-- column first_ns time  first packet
-- column damaged count  stretches of its files that could not be read
-- column transports text  those of its flows: "RC,UET-RUD"
--
-- example fabscope query DB campaign/run
SELECT a.verdict, a.reason,
       (SELECT min(first_ns) FROM capture /*scan*/) AS first_ns,
       (SELECT sum(damaged_ranges + cut) FROM capture /*scan*/) AS damaged,
       (SELECT group_concat(DISTINCT transport) FROM flow /*scan*/)
           AS transports
  FROM answer a /*scan*/
 WHERE a.scope = 'capture'

-- Do the counters of NICs and switches agree with the packets?
-- One row for each comparison; the packets decide.
--
-- param verdict text NULL  agrees explains more fewer contradicts unused
-- param limit count 1000  rows at most
-- column verdict word  agrees; explains: completes what packets only bound; more, fewer: both may be right; contradicts; unused: not of this capture
-- column what word  what both should have seen
-- column counted count  by the counter
-- column packets_min count  by the packets, at least
-- column packets_max count  at most
-- column device text  host or switch
-- column port text  as printed
-- column name text  of the counter, as printed
-- column reason text  in words
-- column settle text  what would decide it
--
-- example fabscope query DB counter-checks --param verdict=contradicts
SELECT k.verdict, k.what, k.counted, k.packets_min, k.packets_max,
       coalesce(s.node, s.address, s.device) AS device, s.port, c.name,
       k.reason, k.settle
  FROM counter_check k /*scan*/
  LEFT JOIN counted c ON c.id = k.counted_id
  LEFT JOIN evidence_source s ON s.id = c.source_id
 WHERE :verdict IS NULL OR k.verdict = :verdict
 ORDER BY k.verdict <> 'contradicts', k.id
 LIMIT :limit

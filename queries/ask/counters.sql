-- What did NICs and switches count while the capture ran?
--
-- param device text NULL  host or switch
-- param meaning text NULL  what it counts: docs/evidence.md
-- param limit count 1000  rows at most
-- column device text  host or switch
-- column port text  as printed
-- column name text  of the counter, as printed
-- column meaning word  what it counts
-- column priority count  priority or queue
-- column delta count  counted between first and last reading
-- column last_value count  the last reading
-- column unit text  of both
-- column readings count  how often it was read
-- column first_ns time  first reading
-- column last_ns time  last reading
-- column covers flag  the capture lies between them
--
-- example fabscope query DB counters --param meaning=tx_drops
SELECT coalesce(s.node, s.address, s.device) AS device, s.port, c.name,
       c.meaning, c.priority, c.delta, c.last_value, c.unit, c.readings,
       c.first_ns, c.last_ns, c.covers
  FROM counted c /*scan*/
  JOIN evidence_source s ON s.id = c.source_id
 WHERE (:device IS NULL
        OR :device IN (s.node, s.address, s.device))
   AND (:meaning IS NULL OR c.meaning = :meaning)
 ORDER BY ifnull(c.delta, 0) = 0, c.id
 LIMIT :limit

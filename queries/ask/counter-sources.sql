-- Which files of counters were read, and whose are they?
--
-- param limit count 1000  rows at most
-- column path text  the file
-- column kind word  what it is
-- column device text  host or switch, by the file or its name
-- column port text  as printed
-- column address text  of the host
-- column node text  in the topology file, or in LLDP
-- column tied_by text  given gid mac address name topology lldp
-- column why_not text  why it is not used
-- column clock text  stamps or before-after
-- column first_ns time  first reading
-- column last_ns time  last reading
-- column readings count  values in it
--
-- example fabscope query DB counter-sources
SELECT path, kind, device, port, address, node, tied_by, why_not, clock,
       first_ns, last_ns, readings
  FROM evidence_source /*scan*/
 ORDER BY id
 LIMIT :limit

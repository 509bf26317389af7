-- Who sent how much to whom: servers, hosts, switches, rails or pods?
-- A flow seen at several capture points counts once, where it shows most.  What
-- the topology file gives no server is its own; what it gives no switch, rail
-- or pod is "not given".
--
-- param by text server  server, host, switch, rail or pod
-- param given flag 0  only where the topology file gives them names
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 10000  maximum number of rows
-- column src text  sender
-- column dst text  receiver
-- column flows count  flows, one direction of a queue pair each
-- column bytes bytes  bytes on the wire
-- column share share  of all bytes
-- column lost count  packets lost, at least
-- column retransmitted count  packets retransmitted
--
-- uses flow-everywhere
-- example fabscope query DB traffic-matrix --param by=rail
WITH who AS MATERIALIZED (
  SELECT a.address,
         CASE :by WHEN 'server' THEN ifnull(n.server, n.name)
                  WHEN 'host' THEN n.name
                  WHEN 'switch' THEN n.attached
                  WHEN 'rail' THEN 'rail ' || n.rail
                  WHEN 'pod' THEN n.pod END AS name
    FROM node_address a
    JOIN node n ON n.name = a.node),
one AS MATERIALIZED (
  SELECT src, dst, bytes, lost, retransmitted FROM flow_everywhere),
named AS (
  SELECT coalesce(s.name, CASE WHEN :by IN ('server', 'host') THEN one.src END,
                  'not given') AS src,
         coalesce(d.name, CASE WHEN :by IN ('server', 'host') THEN one.dst END,
                  'not given') AS dst,
         bytes, lost, retransmitted
    FROM one
    LEFT JOIN who s ON s.address = one.src
    LEFT JOIN who d ON d.address = one.dst)
SELECT src, dst, count(*) AS flows, sum(bytes) AS bytes,
       1.0 * sum(bytes) / nullif(sum(sum(bytes)) OVER (), 0) AS share,
       sum(lost) AS lost, sum(retransmitted) AS retransmitted
  FROM named
 WHERE :by IN ('server', 'host', 'switch', 'rail', 'pod')
   AND (NOT :given OR EXISTS (SELECT 1 FROM who WHERE name IS NOT NULL))
 GROUP BY src, dst
 ORDER BY src, dst
 LIMIT :limit

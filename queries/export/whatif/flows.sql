-- Which flows carry data, once each, and how do they react to congestion?
--
-- column id id  flow.id: of several capture points, the one with most packets
-- column transport text  RC UC UET-RUD ...
-- column src text  sender's host in the topology file; NULL not there
-- column dst text  receiver's
-- column pmtu count  path MTU, bytes
-- column goodput bytes  payload, once each
-- column known bytes  of these, in messages that are stored
-- column ect count  ECN-capable packets (ECT)
-- column ce count  packets marked ECN CE
-- column cnps count  CNPs to its sender
WITH m AS (
  SELECT flow_id, sum(bytes) AS bytes FROM message /*scan*/
   WHERE op IN ('send', 'write', 'read') GROUP BY flow_id)
SELECT f.id, f.transport, a.node AS src, b.node AS dst, f.pmtu,
       f.goodput_bytes AS goodput, ifnull(m.bytes, 0) AS known,
       f.ect_data AS ect, f.ce_data AS ce, f.cnp AS cnps
  FROM flow f /*scan*/
  LEFT JOIN node_address a ON a.address = f.src
  LEFT JOIN node_address b ON b.address = f.dst
  LEFT JOIN same_flow s ON s.flow_id = f.id
  LEFT JOIN m ON m.flow_id = f.id
 WHERE f.goodput_bytes > 0 AND f.id = ifnull(s.counted_id, f.id)
 ORDER BY f.id

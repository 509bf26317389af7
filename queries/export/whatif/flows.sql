-- Which flows carry data, once each, and how do they react to congestion?
--
-- column id id  flow.id: of several capture points, the one with most packets
-- column transport text  RC UC UET-RUD ...
-- column src text  sender's host in the topology file; NULL not there
-- column dst text  receiver's
-- column pmtu count  path MTU, bytes
-- column goodput bytes  payload, once each
-- column known bytes  of these, in messages that are stored; READs of its peer
-- column ect count  ECN-capable packets (ECT), with responses to its READs
-- column ce count  packets marked ECN CE, likewise
-- column cnps count  CNPs to the senders of these
-- column rate_bps rate  of the fastest message of at least eight packets on the
--   link of its sender, with all that a frame needs there; NULL not captured
WITH own AS (
  SELECT ifnull(s.counted_id, f.id) AS id,
         max(8e9 * (x.psn_last - x.psn_first) * (f.pmtu + 82)
             / (x.last_ns - x.first_ns)) AS rate_bps
    FROM message x /*scan*/
    JOIN flow f ON f.id = x.flow_id
    JOIN tap t ON t.id = f.tap_id
    JOIN node_address a ON a.address = f.src
                       AND a.node IN (t.from_node, t.to_node)
    LEFT JOIN same_flow s ON s.flow_id = f.id
   WHERE x.op IN ('send', 'write') AND x.psn_last >= x.psn_first + 7
     AND x.last_ns > x.first_ns
   GROUP BY 1),
m AS (
  SELECT flow_id, total(iif(op = 'read', 0, bytes)) AS sent,
         total(iif(op = 'read', bytes, 0)) AS read
    FROM message /*scan*/
   WHERE op IN ('send', 'write', 'read') GROUP BY flow_id)
SELECT f.id, f.transport, a.node AS src, b.node AS dst, f.pmtu,
       f.goodput_bytes AS goodput,
       CAST(ifnull(m.sent, 0) + ifnull(r.read, 0) AS INTEGER) AS known,
       f.ect_data + ifnull(p.ect_data, 0) AS ect,
       f.ce_data + ifnull(p.ce_data, 0) AS ce, f.cnp + ifnull(p.cnp, 0) AS cnps,
       CAST(o.rate_bps AS INTEGER) AS rate_bps
  FROM flow f /*scan*/
  LEFT JOIN node_address a ON a.address = f.src
  LEFT JOIN node_address b ON b.address = f.dst
  LEFT JOIN same_flow s ON s.flow_id = f.id
  LEFT JOIN own o ON o.id = f.id
  LEFT JOIN m ON m.flow_id = f.id
  LEFT JOIN m r ON r.flow_id = f.peer_flow_id
  LEFT JOIN flow p ON p.id = f.peer_flow_id AND m.read > 0
 WHERE (f.goodput_bytes > 0 OR m.read > 0) AND f.id = ifnull(s.counted_id, f.id)
 ORDER BY f.id

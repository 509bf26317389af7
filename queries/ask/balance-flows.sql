-- How did each flow use parallel links, and was its order kept?
--
-- param group id NULL  only flows of this group (link_group.id)
-- param mode text NULL  only ecmp, flowlet, spray, adaptive or nic-spray
-- param limit count 1000  maximum number of rows
-- column group_id id  link_group.id
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column mode word  how it was spread; NULL not recognized
-- column links count  links it used
-- column idle_ns duration  flowlet: shortest silence after which the link changes
-- column udp_sports count  UDP source ports
-- column packets count  packets
-- column bytes bytes  bytes
-- column reordered count  packets reordered upstream of the capture point
-- column reorder_extent_max count  reordering extent (RFC 4737), packets
-- column reorder_late_ns_max duration  longest late time of a reordered packet
-- column confidence share  confidence of the mode
--
-- example fabscope query DB balance-flows --param mode=flowlet
SELECT b.group_id, b.flow_id, f.src, f.dst, f.dst_qp, b.mode, b.links,
       CASE WHEN b.mode = 'flowlet' THEN b.idle_ns END AS idle_ns,
       f.udp_sports, f.packets, f.bytes, f.reordered, f.reorder_extent_max,
       f.reorder_late_ns_max, b.confidence
  FROM balance_flow b /*scan*/
  JOIN flow f ON f.id = b.flow_id
 WHERE (:group IS NULL OR b.group_id = :group)
   AND (:mode IS NULL OR b.mode = :mode)
 ORDER BY b.group_id, f.bytes DESC
 LIMIT :limit

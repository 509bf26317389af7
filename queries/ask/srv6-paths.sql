-- Which paths did senders choose by SRv6 segments, and how evenly?
-- They stand in the destination of a packet.  A switch takes its own segment
-- out, so a path has another list at each capture point: compare lists of one
-- flow only.
--
-- param flow id NULL  only this flow
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column segments text  destination of the packets: block, nodes, host
-- column paths count  paths of the flow
-- column packets count  packets on this one
-- column bytes bytes  bytes on this one
-- column share share  of the bytes of the flow
-- column ce count  packets marked ECN CE
-- column ce_share share  of the packets on this one
-- column balance share  Jain's index of the bytes of the flow's paths: 1 is even
--
-- example fabscope query DB srv6-paths --param limit=20
WITH of_flow AS (
  SELECT flow_id, count(*) AS paths, sum(bytes) AS bytes,
         sum(bytes * 1.0 * bytes) AS squares
    FROM srv6_path /*scan*/
   GROUP BY flow_id)
SELECT p.flow_id, f.src, f.dst, f.dst_qp, p.segments, a.paths, p.packets,
       p.bytes, p.bytes * 1.0 / nullif(a.bytes, 0) AS share, p.ce,
       p.ce * 1.0 / nullif(p.packets, 0) AS ce_share,
       a.bytes * 1.0 * a.bytes / nullif(a.paths * a.squares, 0) AS balance
  FROM of_flow a
  JOIN flow f ON f.id = a.flow_id
  JOIN srv6_path p ON p.flow_id = a.flow_id
 WHERE :flow IS NULL OR p.flow_id = :flow
 ORDER BY a.bytes DESC, p.flow_id, p.bytes DESC, p.segments
 LIMIT :limit

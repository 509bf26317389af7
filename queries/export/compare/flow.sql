-- Which flows with data does this result have?
--
-- into compared_flow
WITH n AS (
  SELECT a.address, min(a.node || ifnull(' rail ' || n.rail, '')) AS name
    FROM node_address a JOIN node n ON n.name = a.node
   GROUP BY a.address),
f AS (
  SELECT min(f.id) AS id, f.transport, f.src, f.dst, f.dst_qp, f.src_qp,
         f.spdcid, f.dpdcid, f.epoch, max(f.goodput_bytes) AS bytes
    FROM flow f /*scan*/
   WHERE f.payload_bytes > 0
   GROUP BY f.transport, f.src, f.dst, f.dst_qp, f.spdcid, f.dpdcid, f.epoch
   ORDER BY bytes DESC LIMIT 20000)
SELECT f.id AS flow_id, f.transport, f.src, f.dst, s.name AS src_name,
       d.name AS dst_name,
       coalesce('QP ' || f.dst_qp, 'PDC ' || ifnull(f.spdcid, '?') || '/'
                || ifnull(f.dpdcid, '?'), '?') || '.' || f.epoch AS number,
       row_number() OVER (PARTITION BY f.transport, f.src, f.dst
                              ORDER BY f.dst_qp, f.spdcid, f.dpdcid, f.epoch)
         AS nth,
       f.bytes
  FROM f
  LEFT JOIN n s ON s.address = f.src
  LEFT JOIN n d ON d.address = f.dst

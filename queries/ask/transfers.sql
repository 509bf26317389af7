-- Which data goes from host to host outside of iterations: storage, KV caches?
-- Storage is what RDMA-CM connected to a storage port. One-way data of hosts
-- that form no iterations is shown as such: KV-cache transfers of inference (long
-- WRITEs) look so, and so do checkpoints; which of them it is, no packet says.
--
-- param class text NULL  only this class
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column src text  sender
-- column dst text  receiver
-- column class text  NVMe over RDMA, NFS over RDMA, one-way
-- column target text  storage: the host that was connected to
-- column flows count  flows that carry data, one direction each
-- column messages count  messages
-- column bytes bytes  payload, retransmissions included
-- column message_bytes bytes  payload of a message, on average
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column rate_bps rate  payload over this time
-- column lost count  packets lost, at least
-- column ce count  packets marked ECN CE
--
-- uses flow-everywhere
-- example fabscope query DB transfers
WITH f AS MATERIALIZED (
  SELECT v.id, v.src, v.dst, g.messages, g.payload_bytes, v.first_ns,
         v.last_ns, v.lost, g.ce, s.protocol, s.target
    FROM flow_everywhere v
    JOIN flow g ON g.id = v.id
    LEFT JOIN storage_flow s ON s.flow_id = v.id),
pair AS (
  SELECT src, dst, total(bytes) AS bytes, total(back) AS back
    FROM (SELECT src, dst, payload_bytes AS bytes, 0 AS back FROM f
           WHERE protocol IS NULL
          UNION ALL
          SELECT dst, src, 0, payload_bytes FROM f WHERE protocol IS NULL)
   GROUP BY src, dst),
busy AS MATERIALIZED (
  SELECT DISTINCT r.address
    FROM job_rank r /*scan*/
    JOIN job j ON j.id = r.job
   WHERE j.iterations > 0),
-- a hundredth of the data goes back at most
one_way AS (
  SELECT a.src, a.dst FROM pair a
   WHERE a.bytes > 0 AND a.back <= 0.01 * a.bytes
     AND a.src NOT IN (SELECT address FROM busy)
     AND a.dst NOT IN (SELECT address FROM busy)),
classed AS (
  SELECT f.*, protocol AS class FROM f WHERE protocol IS NOT NULL
  UNION ALL
  SELECT f.*, 'one-way' FROM f
   WHERE protocol IS NULL
     AND (src, dst) IN (SELECT src, dst FROM one_way))
SELECT src, dst, class, target, count(*) AS flows, sum(messages) AS messages,
       sum(payload_bytes) AS bytes,
       sum(payload_bytes) / nullif(sum(messages), 0) AS message_bytes,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       CAST(8e9 * sum(payload_bytes)
            / nullif(max(last_ns) - min(first_ns), 0) AS INTEGER) AS rate_bps,
       sum(lost) AS lost, sum(ce) AS ce
  FROM classed
 WHERE payload_bytes > 0 AND (:class IS NULL OR class = :class)
 GROUP BY src, dst, class, target
 ORDER BY bytes DESC, src, dst
 LIMIT :limit

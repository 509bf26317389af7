-- Which data goes from host to host outside of iterations: storage, KV caches?
-- Storage is what RDMA-CM connected to a storage port, and what TCP sends from or
-- to a port of NVMe; nothing else is known of that. One-way data of hosts
-- that form no iterations is shown as such. Of it, what goes from hosts that only
-- send to hosts that only receive, in whole messages and at irregular times, as
-- requests come, is like the KV caches that prefill hosts of an inference service
-- send to decode hosts. No packet says so: it is the shape alone. Checkpoints are
-- one long transfer, or come at regular times.
--
-- param class text NULL  only this class
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column src text  sender
-- column dst text  receiver
-- column class text  NVMe over RDMA or TCP, NFS over RDMA, like KV cache, one-way
-- column target text  storage: the host that was connected to
-- column flows count  flows that carry data, one direction each
-- column messages count  messages
-- column transfers count  one-way: stretches of data of these flows, idle between
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
-- when the flows of these sent, and how long they were idle before
stretch AS (
  SELECT g.src, g.dst, b.flow_id, b.bytes, b.inside,
         b.first_ns - lag(b.last_ns) OVER w AS idle,
         b.first_ns - lag(b.first_ns) OVER w AS apart
    FROM burst b /*scan*/
   CROSS JOIN flow g ON g.id = b.flow_id
   WHERE b.flow_id IN (SELECT id FROM f WHERE protocol IS NULL)
     AND (g.src, g.dst) IN (SELECT src, dst FROM one_way)
  WINDOW w AS (PARTITION BY b.flow_id ORDER BY b.first_ns)),
-- squares of the coefficients of variation
times AS MATERIALIZED (
  SELECT src, dst, count(*) AS transfers, count(DISTINCT flow_id) AS flows,
         sum(inside) AS cut, min(bytes) AS least,
         avg(1.0 * idle * idle) / avg(idle) / avg(idle) - 1 AS idle_cv2,
         avg(1.0 * apart * apart) / avg(apart) / avg(apart) - 1 AS apart_cv2
    FROM stretch GROUP BY src, dst),
-- blocks of a cache, not messages of a few bytes; three idle times a flow tell
kv AS (
  SELECT src, dst FROM times
   WHERE transfers >= 4 * flows AND cut = 0 AND least >= 65536
     AND min(idle_cv2, apart_cv2) >= 0.01
     AND src NOT IN (SELECT dst FROM one_way)
     AND dst NOT IN (SELECT src FROM one_way)),
classed AS (
  SELECT f.*, protocol AS class FROM f WHERE protocol IS NOT NULL
  UNION ALL
  SELECT f.*, iif((src, dst) IN (SELECT src, dst FROM kv),
                  'like KV cache', 'one-way') FROM f
   WHERE protocol IS NULL
     AND (src, dst) IN (SELECT src, dst FROM one_way)),
-- the capture point that saw most of it
nvme AS (
  SELECT src, dst, src_port, dst_port, max(bytes) AS bytes,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM (SELECT tap_id, src, dst, src_port, dst_port, sum(bytes) AS bytes,
                 min(first_ns) AS first_ns, max(last_ns) AS last_ns
            FROM nvme_tcp /*scan*/
           WHERE (:from IS NULL OR last_ns >= :from)
             AND (:to IS NULL OR first_ns <= :to)
           GROUP BY tap_id, src, dst, src_port, dst_port)
   GROUP BY src, dst, src_port, dst_port),
known AS (
SELECT src, dst, class, target, count(*) AS flows, sum(messages) AS messages,
       iif(protocol IS NULL,
           (SELECT t.transfers FROM times t
             WHERE t.src = classed.src AND t.dst = classed.dst),
           NULL) AS transfers,
       sum(payload_bytes) AS bytes,
       sum(payload_bytes) / nullif(sum(messages), 0) AS message_bytes,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       CAST(8e9 * sum(payload_bytes)
            / nullif(max(last_ns) - min(first_ns), 0) AS INTEGER) AS rate_bps,
       sum(lost) AS lost, sum(ce) AS ce
  FROM classed
 WHERE payload_bytes > 0 AND (:class IS NULL OR class = :class)
 GROUP BY src, dst, class, target
 UNION ALL
SELECT src, dst, 'NVMe over TCP', iif(dst_port IN (4420, 8009), dst, src),
       count(*), NULL, NULL, sum(bytes), NULL, min(first_ns), max(last_ns),
       CAST(8e9 * sum(bytes) / nullif(max(last_ns) - min(first_ns), 0)
            AS INTEGER), NULL, NULL
  FROM nvme
 WHERE bytes > 0 AND (:class IS NULL OR :class = 'NVMe over TCP')
 GROUP BY src, dst, iif(dst_port IN (4420, 8009), dst, src))
SELECT * FROM known
 ORDER BY bytes DESC, src, dst
 LIMIT :limit

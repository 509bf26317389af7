-- What did each job send, and with how much trouble (Ultra Ethernet)?
--
-- param from time NULL  only flows that were there after
-- param to time NULL  only flows that were there before
-- param limit count 100  at most so many
-- column job_id count  job
-- column hosts count  hosts that sent for it
-- column flows count  flows, one direction each
-- column contexts count  of these, in packet delivery contexts
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column packets count  packets
-- column goodput_bytes bytes  payload without copies
-- column share share  of the payload of all jobs
-- column messages count  messages
-- column latency_mean_ns duration  of a message, on average
-- column latency_max_ns duration  of the slowest message
-- column lost_min count  lost, at least
-- column lost_max count  and at most
-- column retransmitted count  packets sent again
-- column trimmed count  trimmed by switches
-- column ce count  packets that passed here marked
-- column marked count  packets that arrived marked
-- column nacks count  refusals
-- column errors count  responses with an error
-- column recovery_ns duration  cost of recoveries, summed over flows
--
-- example fabscope query DB jobs
SELECT f.job_id, count(DISTINCT f.src) AS hosts, count(*) AS flows,
       sum(f.transport IN ('UET-RUD', 'UET-ROD')) AS contexts,
       min(f.first_ns) AS first_ns, max(f.last_ns) AS last_ns,
       sum(f.packets) AS packets, sum(f.goodput_bytes) AS goodput_bytes,
       1.0 * sum(f.goodput_bytes)
         / nullif(sum(sum(f.goodput_bytes)) OVER (), 0) AS share,
       sum(f.messages) AS messages,
       CAST(sum(f.latency_mean_ns * f.messages_completed)
            / nullif(sum(CASE WHEN f.latency_mean_ns IS NOT NULL
                              THEN f.messages_completed END), 0) AS INTEGER)
         AS latency_mean_ns,
       max(f.latency_max_ns) AS latency_max_ns,
       sum(ifnull(f.lost_upstream, 0) + ifnull(f.lost_downstream_min, 0))
         AS lost_min,
       sum(ifnull(f.lost_upstream, 0) + ifnull(f.lost_downstream_max, 0))
         AS lost_max,
       sum(f.retransmitted) AS retransmitted, sum(f.trimmed) AS trimmed,
       sum(f.ce) AS ce, sum(p.marked) AS marked, sum(p.nacks) AS nacks,
       sum(p.errors) AS errors, sum(f.recovery_ns) AS recovery_ns
  FROM flow /*scan*/ f
  LEFT JOIN pdc p ON p.flow_id = f.id
 WHERE f.job_id IS NOT NULL
   AND (:from IS NULL OR f.last_ns >= :from)
   AND (:to IS NULL OR f.first_ns <= :to)
 GROUP BY f.job_id
 ORDER BY goodput_bytes DESC, f.job_id
 LIMIT :limit

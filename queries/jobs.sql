-- What did each job send, and with how much trouble (Ultra Ethernet)?
-- Of a span of time, what is known of it of all of its flows.
--
-- param from time NULL  begin of a span; NULL: of the captures
-- param to time NULL  its end; NULL: of the captures
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
-- uses flow-then
-- example fabscope query DB jobs
SELECT f.job_id, count(DISTINCT f.src) AS hosts, count(*) AS flows,
       sum(f.transport IN ('UET-RUD', 'UET-ROD')) AS contexts,
       min(f.first_ns) AS first_ns, max(f.last_ns) AS last_ns,
       iif(count(f.packets) = count(*), sum(f.packets), NULL) AS packets,
       iif(count(f.goodput_bytes) = count(*), sum(f.goodput_bytes), NULL)
         AS goodput_bytes,
       iif(sum(count(*) - count(f.goodput_bytes)) OVER () = 0,
           1.0 * sum(f.goodput_bytes)
             / nullif(sum(sum(f.goodput_bytes)) OVER (), 0), NULL) AS share,
       iif(count(f.messages) = count(*), sum(f.messages), NULL) AS messages,
       CAST(sum(f.latency_mean_ns * f.messages_completed)
            / nullif(sum(CASE WHEN f.latency_mean_ns IS NOT NULL
                              THEN f.messages_completed END), 0) AS INTEGER)
         AS latency_mean_ns,
       iif(min(f.whole), max(f.latency_max_ns), NULL) AS latency_max_ns,
       sum(ifnull(f.lost_upstream, 0) + ifnull(f.lost_downstream_min, 0))
         AS lost_min,
       sum(ifnull(f.lost_upstream, 0) + ifnull(f.lost_downstream_max, 0))
         AS lost_max,
       sum(f.retransmitted) AS retransmitted, sum(f.trimmed) AS trimmed,
       iif(count(f.ce) = count(*), sum(f.ce), NULL) AS ce,
       iif(min(f.whole), sum(p.marked), NULL) AS marked,
       iif(min(f.whole), sum(p.nacks), NULL) AS nacks,
       iif(min(f.whole), sum(p.errors), NULL) AS errors,
       sum(f.recovery_ns) AS recovery_ns
  FROM flow_then f
  LEFT JOIN pdc p ON p.flow_id = f.id
 WHERE f.job_id IS NOT NULL
 GROUP BY f.job_id
 ORDER BY goodput_bytes DESC, f.job_id
 LIMIT :limit

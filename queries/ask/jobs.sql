-- What did each job send, and how many of its flows were impaired (Ultra Ethernet)?
-- A flow at several taps counts once, where it shows most.  Of a time window,
-- what is known of it of all of its flows.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 100  maximum number of rows
-- column job_id count  job
-- column hosts count  hosts that sent for it
-- column flows count  flows, one direction each
-- column contexts count  of these, in packet delivery contexts
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column packets count  packets
-- column goodput_bytes bytes  payload, each byte counted once
-- column share share  of the payload of all jobs
-- column messages count  messages
-- column latency_mean_ns duration  of a message, on average
-- column latency_max_ns duration  of the slowest message
-- column lost_min count  lost, at least
-- column lost_max count  maximum of the same
-- column retransmitted count  packets retransmitted
-- column trimmed count  trimmed by switches
-- column ce count  packets marked ECN CE at this capture point
-- column marked count  packets that arrived marked
-- column nacks count  refusals
-- column errors count  responses with an error
-- column recovery_ns duration  cost of recoveries, summed over flows
--
-- uses flow-in-window
-- uses flow-once
-- example fabscope query DB jobs
WITH one AS MATERIALIZED (
  SELECT f.job_id, max(f.src) AS src,
         max(f.transport IN ('UET-RUD', 'UET-ROD')) AS context,
         min(f.first_ns) AS first_ns, max(f.last_ns) AS last_ns,
         max(f.packets) AS packets, max(f.goodput_bytes) AS goodput_bytes,
         max(f.messages) AS messages,
         max(f.latency_mean_ns * f.messages_completed) AS latency,
         max(CASE WHEN f.latency_mean_ns IS NOT NULL
                  THEN f.messages_completed END) AS timed,
         max(iif(f.whole, f.latency_max_ns, NULL)) AS latency_max_ns,
         max(ifnull(f.lost_upstream, 0) + ifnull(f.lost_downstream_min, 0))
           AS lost_min,
         max(ifnull(f.lost_upstream, 0) + ifnull(f.lost_downstream_max, 0))
           AS lost_max,
         max(f.retransmitted) AS retransmitted, max(f.trimmed) AS trimmed,
         max(f.ce) AS ce, max(p.marked) AS marked, max(p.nacks) AS nacks,
         max(p.errors) AS errors, max(f.recovery_ns) AS recovery_ns,
         min(f.whole) AS whole
    FROM flow_in_window f
   CROSS JOIN flow_once o ON o.flow_id = f.id
    LEFT JOIN pdc p ON p.flow_id = f.id
   WHERE f.job_id IS NOT NULL
   GROUP BY o.counted_id)
SELECT job_id, count(DISTINCT src) AS hosts, count(*) AS flows,
       sum(context) AS contexts,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       iif(count(packets) = count(*), sum(packets), NULL) AS packets,
       iif(count(goodput_bytes) = count(*), sum(goodput_bytes), NULL)
         AS goodput_bytes,
       iif(sum(count(*) - count(goodput_bytes)) OVER () = 0,
           1.0 * sum(goodput_bytes)
             / nullif(sum(sum(goodput_bytes)) OVER (), 0), NULL) AS share,
       iif(count(messages) = count(*), sum(messages), NULL) AS messages,
       CAST(1.0 * sum(latency) / nullif(sum(timed), 0) AS INTEGER)
         AS latency_mean_ns,
       iif(min(whole), max(latency_max_ns), NULL) AS latency_max_ns,
       sum(lost_min) AS lost_min, sum(lost_max) AS lost_max,
       sum(retransmitted) AS retransmitted, sum(trimmed) AS trimmed,
       iif(count(ce) = count(*), sum(ce), NULL) AS ce,
       iif(min(whole), sum(marked), NULL) AS marked,
       iif(min(whole), sum(nacks), NULL) AS nacks,
       iif(min(whole), sum(errors), NULL) AS errors,
       sum(recovery_ns) AS recovery_ns
  FROM one
 GROUP BY job_id
 ORDER BY goodput_bytes DESC, job_id
 LIMIT :limit

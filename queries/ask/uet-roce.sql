-- How does Ultra Ethernet compare with RoCE in this capture?
-- The tables of section 6 of the BMWG draft, one row per service: throughput,
-- spreading, loss without PFC, repetition, rate of set-up.  A number that this
-- capture cannot give is NULL.  A flow at several taps counts once, where it
-- shows most.
--
-- param job count NULL  only this job
-- column service text  RC UC UD XRC UET-ROD UET-RUD UET-RUDI UET-UUD UET-TSS
-- column flows count  flows that sent data
-- column packets count  their packets
-- column goodput_bytes bytes  payload, each byte counted once
-- column span_ns duration  from the first of their packets to the last
-- column goodput_bps rate  payload, each byte counted once, over that time
-- column efficiency share  payload, each byte counted once, of what it took on the wire
-- column paths_mean real  entropy values (source ports) of a flow, on average
-- column spread_share share  flows that use several
-- column links_mean real  parallel links that a flow used, on average; NULL without taps at all of them
-- column reordered_share share  packets reordered upstream of the capture point
-- column lost_min_ppm real  lost of a million, at least
-- column lost_max_ppm real  maximum of the same
-- column trimmed_ppm real  trimmed of a million
-- column retransmitted_ppm real  retransmitted per million
-- column spurious_ppm real  of these without need
-- column recovery_mean_ns duration  cost of one recovery
-- column latency_mean_ns duration  of a message, as seen here
-- column pfc_frames count  PFC frames in the capture, of any service; NULL where none could be seen
-- column setups count  contexts whose first SYN was seen
-- column setups_per_second real  the same, over the time from first to last
-- column setup_mean_ns duration  set-up: first packet to first answer
--
-- uses flow-once
-- example fabscope query DB uet-roce
WITH one AS MATERIALIZED (
  SELECT f.transport, max(f.packets) AS packets,
         max(f.bytes + 24 * f.packets) AS wire,
         max(f.goodput_bytes) AS goodput_bytes,
         min(f.first_ns) AS first_ns, max(f.last_ns) AS last_ns,
         max(ifnull(p.entropy_values, f.udp_sports)) AS paths,
         max(b.links) AS links, max(f.reordered) AS reordered,
         max(f.expected) AS expected,
         max(f.lost_upstream + f.lost_downstream_min) AS lost_min,
         max(f.lost_upstream + f.lost_downstream_max) AS lost_max,
         max(CASE WHEN p.flow_id IS NOT NULL THEN f.trimmed END) AS trimmed,
         max(f.retransmitted) AS retransmitted, max(f.spurious) AS spurious,
         max(f.recovery_ns) AS recovery_ns, max(f.recoveries) AS recoveries,
         max(f.latency_mean_ns * f.messages_completed) AS latency,
         max(CASE WHEN f.latency_mean_ns IS NOT NULL
                  THEN f.messages_completed END) AS timed,
         max(p.handshake_ns) AS setup, min(p.opened_ns) AS opened_ns
    FROM flow_once o /*scan*/
    JOIN flow f ON f.id = o.flow_id
    LEFT JOIN pdc p ON p.flow_id = f.id
    LEFT JOIN (SELECT flow_id, max(links) AS links FROM balance_flow /*scan*/
                GROUP BY flow_id) b ON b.flow_id = f.id
   WHERE f.requests > 0
     AND (:job IS NULL OR f.job_id = :job)
   GROUP BY o.counted_id),
s AS (
  SELECT transport AS service, count(*) AS flows, sum(packets) AS packets,
         sum(wire) AS wire, sum(goodput_bytes) AS goodput_bytes,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns,
         avg(paths) AS paths_mean, avg(paths > 1) AS spread_share,
         avg(links) AS links_mean, sum(reordered) AS reordered,
         sum(expected) AS expected, sum(lost_min) AS lost_min,
         sum(lost_max) AS lost_max, sum(trimmed) AS trimmed,
         sum(retransmitted) AS retransmitted, sum(spurious) AS spurious,
         sum(recovery_ns) AS recovery_ns, sum(recoveries) AS recoveries,
         sum(latency) AS latency, sum(timed) AS timed,
         count(opened_ns) AS setups, avg(setup) AS setup,
         max(opened_ns) - min(opened_ns) AS setup_span
    FROM one
   GROUP BY transport)
SELECT service, flows, packets, goodput_bytes, last_ns - first_ns AS span_ns,
       CAST(8e9 * goodput_bytes / nullif(last_ns - first_ns, 0) AS INTEGER)
         AS goodput_bps,
       1.0 * goodput_bytes / nullif(wire, 0) AS efficiency,
       paths_mean, spread_share, links_mean,
       1.0 * reordered / nullif(expected, 0) AS reordered_share,
       1e6 * lost_min / nullif(expected, 0) AS lost_min_ppm,
       1e6 * lost_max / nullif(expected, 0) AS lost_max_ppm,
       1e6 * trimmed / nullif(expected, 0) AS trimmed_ppm,
       1e6 * retransmitted / nullif(expected, 0) AS retransmitted_ppm,
       1e6 * spurious / nullif(expected, 0) AS spurious_ppm,
       recovery_ns / nullif(recoveries, 0) AS recovery_mean_ns,
       latency / nullif(timed, 0) AS latency_mean_ns,
       (SELECT CASE WHEN sum(packets_pfc + packets_pause) > 0
                    THEN sum(packets_pfc) END FROM tap) AS pfc_frames,
       CASE WHEN service IN ('UET-RUD', 'UET-ROD') THEN setups END AS setups,
       1e9 * (setups - 1) / nullif(setup_span, 0) AS setups_per_second,
       CAST(setup AS INTEGER) AS setup_mean_ns
  FROM s
 ORDER BY service

-- When did receivers report congestion to Ultra Ethernet senders, and when did these lack credit?
--
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param flows count NULL  only so many contexts, the most impaired
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 10000  maximum number of rows
-- column start_ns time  begin of the interval
-- column width_ns duration  its length
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column acks count  ACKs with congestion state
-- column marked count  of these, to packets that arrived marked
-- column trimmed count  refusals of packets that arrived trimmed
-- column received_bps rate  what the receiver counted, over the interval
-- column service_mean_ns duration  stay at the receiver, on average
-- column service_max_ns duration  the longest
-- column ooo_max count  most packets out of order at the receiver
-- column penalty_max count  largest window penalty, of 127
-- column credit_granted count  credit granted, raw (its unit is UNKNOWN)
-- column credit_wanted count  credit requested by the sender, raw
-- column credit_backlog_max count  most that was requested and not granted, raw
-- column credit_wait_ns duration  it must have waited for credit, as seen here
-- column credit_wait_share share  of the interval
-- column marked_share share  of the answers
-- column credit_granted_per_ms real  credit granted in a millisecond, raw
--
-- example fabscope query DB uet-congestion-over-time --param limit=10
WITH worst AS MATERIALIZED (
  SELECT flow_id FROM cc_bin /*scan*/
   GROUP BY flow_id
   ORDER BY ifnull(sum(credit_wait_ns), 0) DESC, sum(marked + trimmed) DESC,
            sum(acks) DESC, flow_id
   LIMIT ifnull(:flows, -1))
SELECT b.start_ns, b.width_ns, b.flow_id, f.src, f.dst, f.spdcid, b.acks,
       b.marked, b.trimmed,
       CAST(8e9 * b.received_bytes / b.width_ns AS INTEGER) AS received_bps,
       b.service_mean_ns, b.service_max_ns, b.ooo_max, b.penalty_max,
       b.credit_granted, b.credit_wanted, b.credit_backlog_max,
       b.credit_wait_ns, 1.0 * b.credit_wait_ns / b.width_ns
         AS credit_wait_share,
       1.0 * b.marked / nullif(b.acks, 0) AS marked_share,
       1e6 * b.credit_granted / b.width_ns AS credit_granted_per_ms
  FROM cc_bin /*scan*/ b
  JOIN flow f ON f.id = b.flow_id
 WHERE (:flow IS NULL OR b.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:flows IS NULL OR b.flow_id IN (SELECT flow_id FROM worst))
   AND (:from IS NULL OR b.start_ns + b.width_ns > :from)
   AND (:to IS NULL OR b.start_ns <= :to)
 ORDER BY b.flow_id, b.start_ns
 LIMIT :limit

-- What did receivers tell Ultra Ethernet senders about congestion?
--
-- param job count NULL  only this job (Ultra Ethernet)
-- param limit count 1000  at most so many
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column job_id count  job
-- column packets count  packets sent
-- column ce count  that passed here marked
-- column acks count  answers
-- column marked count  answers to packets that arrived marked
-- column marked_share share  of the answers
-- column service_min_ns duration  shortest stay at the receiver
-- column service_max_ns duration  longest stay at the receiver
-- column path_min_ns duration  shortest round trip without that stay
-- column ooo_max count  most packets out of order at the receiver
-- column penalty_max count  largest window penalty, of 127
-- column restores count  times the window was restored
-- column received_bytes bytes  what the receiver counted
-- column received_bps rate  the same, over the time of the flow
-- column credit_granted count  credit granted, raw (its unit is UNKNOWN)
-- column credit_wanted count  credit asked for, raw
-- column credit_backlog_max count  most that was asked for and not granted, raw
-- column credit_waits count  times nothing was sent for want of credit
-- column credit_wait_ns duration  all of these, as seen here
-- column credit_wait_share share  of the time of the flow
-- column credit_requests count  times it was asked for alone
--
-- example fabscope query DB uet-congestion --param limit=10
SELECT f.id AS flow_id, f.src, f.dst, f.spdcid, f.job_id, f.packets, f.ce,
       p.acks, p.marked, 1.0 * p.marked / nullif(p.acks, 0) AS marked_share,
       p.service_min_ns, p.service_max_ns, p.path_min_ns, p.ooo_max,
       p.penalty_max, p.restores, p.received_bytes,
       CAST(8e9 * p.received_bytes / nullif(f.last_ns - f.first_ns, 0)
            AS INTEGER) AS received_bps,
       p.credit_granted, p.credit_wanted, p.credit_backlog_max,
       p.credit_waits, p.credit_wait_ns,
       1.0 * p.credit_wait_ns / nullif(f.last_ns - f.first_ns, 0)
         AS credit_wait_share,
       p.credit_requests
  FROM pdc /*scan*/ p
  JOIN flow f ON f.id = p.flow_id
 WHERE p.acks > 0
   AND (:job IS NULL OR f.job_id = :job)
 ORDER BY p.marked DESC, f.packets DESC, f.id
 LIMIT :limit

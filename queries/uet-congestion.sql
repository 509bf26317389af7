-- What did receivers tell Ultra Ethernet senders about congestion?
--
-- param limit count 1000  at most so many
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex  PDC id of the sender
-- column job_id count  job
-- column packets count  packets sent
-- column ce count  that passed here marked
-- column acks count  answers
-- column marked count  answers to packets that arrived marked
-- column marked_share share  of the answers
-- column service_min_ns duration  shortest stay at the receiver
-- column service_max_ns duration  longest stay at the receiver
-- column ooo_max count  most packets out of order at the receiver
-- column penalty_max count  largest window penalty, of 127
-- column restores count  times the window was restored
-- column received_bytes bytes  what the receiver counted
-- column credit_granted count  credit granted, raw
-- column credit_wanted count  credit asked for, raw
-- column credit_requests count  times it was asked for alone
--
-- example fabscope query DB uet-congestion --param limit=10
SELECT f.id AS flow_id, f.src, f.dst, f.spdcid, f.job_id, f.packets, f.ce,
       p.acks, p.marked, 1.0 * p.marked / nullif(p.acks, 0) AS marked_share,
       p.service_min_ns, p.service_max_ns, p.ooo_max, p.penalty_max,
       p.restores, p.received_bytes, p.credit_granted, p.credit_wanted,
       p.credit_requests
  FROM pdc /*scan*/ p
  JOIN flow f ON f.id = p.flow_id
 WHERE p.acks > 0
 ORDER BY p.marked DESC, f.packets DESC, f.id
 LIMIT :limit

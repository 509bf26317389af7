-- Which flows were impaired most?
--
-- param job count NULL  only this job (Ultra Ethernet)
-- param limit count 20  maximum number of rows
-- column id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column recovery_ns duration  time lost in recoveries
-- column recoveries count  recoveries
-- column lost_upstream count  lost between sender and tap
-- column lost_downstream_min count  lost downstream: between tap and receiver, minimum
-- column retransmitted count  retransmitted
-- column spurious count  of these, without need
-- column timeouts count  retransmission timeouts (RTO)
-- column nak_seq count  sequence error NAKs
-- column rnr_nak count  RNR NAKs
-- column reordered count  reordered upstream of the capture point
-- column unresolved count  PSN gaps whose cause is ambiguous
--
-- example fabscope query DB worst-flows --param limit=10
SELECT id, src, dst, dst_qp, recovery_ns, recoveries, lost_upstream,
       lost_downstream_min, retransmitted, spurious, timeouts, nak_seq,
       rnr_nak, reordered, unresolved
  FROM flow
 WHERE impaired = 1
   AND (:job IS NULL OR job_id = :job)
 ORDER BY recovery_ns DESC, retransmitted DESC, id
 LIMIT :limit

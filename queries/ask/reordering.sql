-- Which flows were reordered upstream of the capture point, and how much?
--
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only flows of this incident
-- param limit count 1000  maximum number of rows
-- column id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column packets count  packets
-- column reordered count  packets reordered
-- column ratio share  of all packets, retransmissions left out
-- column events count  reorderings at which a go-back-N receiver sends a NAK
-- column extent_max count  later reordering extent (RFC 4737), packets
-- column late_max_ns duration  longest late time of a reordered packet
-- column naks count  sequence error NAKs
-- column recovery word  ooo: the receiver tolerates it
--
-- example fabscope query DB reordering
SELECT id, src, dst, dst_qp, packets, reordered,
       1.0 * reordered / nullif(packets - ifnull(retransmitted, 0), 0)
         AS ratio,
       reorder_events AS events, reorder_extent_max AS extent_max,
       reorder_late_ns_max AS late_max_ns, nak_seq AS naks, recovery
  FROM flow
 WHERE impaired = 1 AND reordered > 0
   AND (:flow IS NULL OR id = :flow)
   AND (:job IS NULL OR job_id = :job)
   AND (:incident IS NULL OR id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY reordered DESC, id
 LIMIT :limit

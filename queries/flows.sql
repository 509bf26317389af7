-- Which flows are there?
-- With from and to, those that were there then, and what is known of that time;
-- times of the flow itself are those of its whole life.
--
-- param job count NULL  only this job (Ultra Ethernet)
-- param host text NULL  only flows from or to this address
-- param src text NULL  only flows from this address
-- param dst text NULL  only flows to this address
-- param qp hex NULL  only flows to this queue pair
-- param transport text NULL  RC, UC, UD, ...
-- param sprayed flag NULL  1: only those suspected to be sprayed
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column id id  flow.id
-- column transport text  RC, UC, UD, ...
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column src_qp hex  the sender's queue pair
-- column epoch count  epoch: how often the queue pair number or PDC id was used before
-- column visibility text  both, fwd, rev
-- column first_ns time  first packet
-- column duration_ns duration  first to last packet
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column messages count  messages
-- column lost count  lost, at least
-- column retransmitted count  retransmitted
-- column recovery_ns duration  time lost in recoveries
-- column reordered count  reordered upstream of the tap
-- column timeouts count  retransmission timeouts (RTO)
-- column rnr_nak count  RNR NAKs
-- column ce count  packets marked ECN CE
-- column cnp count  CNPs that the sender of this flow received
-- column job_id id  UET: job
-- column goodput_bytes bytes  payload bytes, each counted once (no retransmissions)
-- column spdcid hex16  UET: PDC id of the sender
-- column dpdcid hex16  UET: PDC id of the receiver
-- column trimmed count  UET: packets trimmed by a switch
--
-- uses flow-in-window
-- example fabscope query DB flows --param transport=RC --param limit=20
SELECT id, transport, src, dst, dst_qp, src_qp, epoch, visibility, first_ns,
       last_ns - first_ns AS duration_ns, packets, bytes, messages,
       lost_upstream + lost_downstream_min AS lost,
       retransmitted, recovery_ns, reordered, timeouts, rnr_nak, ce, cnp,
       job_id, goodput_bytes, spdcid, dpdcid,
       iif(transport LIKE 'UET%', trimmed, NULL) AS trimmed
  FROM flow_in_window
 WHERE (:host IS NULL OR src = :host OR dst = :host)
   AND (:src IS NULL OR src = :src)
   AND (:dst IS NULL OR dst = :dst)
   AND (:qp IS NULL OR dst_qp = :qp)
   AND (:transport IS NULL OR transport = :transport)
   AND (:sprayed IS NULL OR spray_suspect = :sprayed)
   AND (:job IS NULL OR job_id = :job)
 ORDER BY id
 LIMIT :limit

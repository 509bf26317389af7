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
-- param tap text NULL  only flows seen at this tap
-- param once flag NULL  1: one row for a flow that several taps saw, with the largest figure of these taps
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
-- column visibility word  both, fwd, rev
-- column first_ns time  first packet
-- column duration_ns duration  first to last packet
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column messages count  messages
-- column lost count  lost, at least
-- column retransmitted count  retransmitted
-- column recovery_ns duration  time lost in recoveries
-- column reordered count  reordered upstream of the capture point
-- column timeouts count  retransmission timeouts (RTO)
-- column rnr_nak count  RNR NAKs
-- column ce count  packets marked ECN CE
-- column cnp count  CNPs that the sender of this flow received
-- column job_id id  UET: job
-- column goodput_bytes bytes  payload bytes, each counted once (no retransmissions)
-- column spdcid hex16  UET: PDC id of the sender
-- column dpdcid hex16  UET: PDC id of the receiver
-- column trimmed count  UET: packets trimmed by a switch
-- column load spark  bytes in each of twelve equal parts of the time; NULL: no series
-- column tap text  the tap, with once all taps that saw it; NULL there is only one
--
-- uses flow-in-window
-- uses flow-load
-- example fabscope query DB flows --param transport=RC --param limit=20
-- the other taps of a flow, added to the one with most packets
WITH others AS MATERIALIZED (
  SELECT t.counted_id AS id, group_concat(p.name, ', ') AS taps,
         max(f.messages) AS messages,
         max(f.lost_upstream + f.lost_downstream_min) AS lost,
         max(f.retransmitted) AS retransmitted,
         max(f.recovery_ns) AS recovery_ns, max(f.reordered) AS reordered,
         max(f.timeouts) AS timeouts, max(f.rnr_nak) AS rnr_nak,
         max(f.ce) AS ce, max(f.cnp) AS cnp, max(f.trimmed) AS trimmed
    FROM flow_in_window f
    JOIN same_flow t ON t.flow_id = f.id
    JOIN tap p ON p.id = f.tap_id
   WHERE :once
   GROUP BY t.counted_id)
SELECT f.id, f.transport, f.src, f.dst, f.dst_qp, f.src_qp, f.epoch,
       f.visibility, f.first_ns, f.last_ns - f.first_ns AS duration_ns,
       f.packets, f.bytes, max(f.messages, ifnull(o.messages, 0)) AS messages,
       max(f.lost_upstream + f.lost_downstream_min, ifnull(o.lost, 0)) AS lost,
       max(f.retransmitted, ifnull(o.retransmitted, 0)) AS retransmitted,
       max(f.recovery_ns, ifnull(o.recovery_ns, 0)) AS recovery_ns,
       max(f.reordered, ifnull(o.reordered, 0)) AS reordered,
       max(f.timeouts, ifnull(o.timeouts, 0)) AS timeouts,
       max(f.rnr_nak, ifnull(o.rnr_nak, 0)) AS rnr_nak,
       max(f.ce, ifnull(o.ce, 0)) AS ce, max(f.cnp, ifnull(o.cnp, 0)) AS cnp,
       f.job_id, f.goodput_bytes, f.spdcid, f.dpdcid,
       iif(f.transport LIKE 'UET%', max(f.trimmed, ifnull(o.trimmed, 0)), NULL)
         AS trimmed, l.load,
       CASE WHEN (SELECT count(*) FROM tap) > 1
            THEN (SELECT name FROM tap WHERE id = f.tap_id)
                 || ifnull(', ' || o.taps, '') END AS tap
  FROM flow_in_window f
  LEFT JOIN others o ON o.id = f.id
  LEFT JOIN flow_load l ON l.flow_id = f.id
 WHERE (:host IS NULL OR f.src = :host OR f.dst = :host)
   AND (:src IS NULL OR f.src = :src)
   AND (:dst IS NULL OR f.dst = :dst)
   AND (:qp IS NULL OR f.dst_qp = :qp)
   AND (:transport IS NULL OR f.transport = :transport)
   AND (:sprayed IS NULL OR f.spray_suspect = :sprayed)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:tap IS NULL OR f.tap_id IN (SELECT id FROM tap WHERE name = :tap))
   AND (NOT ifnull(:once, 0)
        OR f.id NOT IN (SELECT flow_id FROM same_flow /*scan*/))
 ORDER BY f.id
 LIMIT :limit

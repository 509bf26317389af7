-- When were flows stalled because of pauses or of credits?
--
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column first_ns time  the last packet before
-- column stalled_ns duration  until the first packet after
-- column paused_ns duration  of this, paused
-- column tap_id id  tap.id
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column cause word  pause, uec-cbfc
-- column source_mac text  the port that sent the pause; uec-cbfc: the sender
-- column priority id  of the flow; uec-cbfc: the channel
-- column frame id  the first packet after
--
-- example fabscope query DB stalls --param limit=10
SELECT s.first_ns, s.last_ns - s.first_ns AS stalled_ns, s.paused_ns, s.tap_id,
       s.flow_id, f.src, f.dst, f.dst_qp, s.cause, s.source_mac, s.priority,
       s.frame
  FROM stall /*scan*/ s
  JOIN flow f ON f.id = s.flow_id
 WHERE (:flow IS NULL OR s.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:from IS NULL OR s.last_ns >= :from)
   AND (:to IS NULL OR s.first_ns <= :to)
 ORDER BY stalled_ns DESC, s.id
 LIMIT :limit

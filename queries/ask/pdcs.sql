-- How was each packet delivery context opened, used and closed (Ultra Ethernet)?
-- One row per direction.  In a time window: its figures; how it was
-- opened and closed is that of the whole capture.
--
-- param once flag NULL  1: of taps that saw a flow, only the one with most of its packets
-- param flow id NULL  only this flow
-- param job count NULL  only this job
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column transport text  UET-RUD or UET-ROD
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column dpdcid hex16  PDC id of the receiver
-- column job_id count  job
-- column epoch count  from 0; counts reuses of a PDC id
-- column role text  initiator or target
-- column state word  at the end
-- column first_ns time  first packet
-- column open_ns duration  from the first packet to the answer to CLOSE
-- column handshake_ns duration  first SYN to first answer, as seen here
-- column syn_packets count  packets sent before that answer
-- column syn_bytes bytes  payload of these: data before the handshake
-- column packets count  packets
-- column messages count  messages
-- column entropy_values count  distinct entropy values, at least
-- column reordered count  packets reordered upstream of the capture point
-- column late_behind count  reordered downstream
-- column retransmitted count  packets retransmitted
-- column retx_unset count  of these, without the RETX flag
-- column trimmed count  trimmed by switches
-- column nacks count  refusals
-- column errors count  responses with an error
-- column load spark  bytes in each of twelve equal parts of the time; NULL: no series
--
-- uses flow-in-window
-- uses flow-load
-- example fabscope query DB pdcs --param limit=10
WITH p AS (
  SELECT f.*, p.closed_ns, p.handshake_ns, p.entropy_values,
         -- One that only answered has no row: its peer tells the rest.
         ifnull(p.role, CASE q.role WHEN 'initiator' THEN 'target'
                                    WHEN 'target' THEN 'initiator' END)
           AS role,
         ifnull(p.state, q.state) AS state,
         ifnull(p.syn_packets, 0) AS syn_packets,
         ifnull(p.syn_bytes, 0) AS syn_bytes,
         ifnull(p.late_behind, 0) AS late_behind,
         iif(p.flow_id IS NULL, 0, p.retx_unset) AS retx_unset,
         ifnull(p.errors, 0) AS errors
    FROM flow_in_window f
    LEFT JOIN pdc p ON p.flow_id = f.id
    LEFT JOIN pdc q ON p.flow_id IS NULL AND q.flow_id = f.peer_flow_id
   WHERE f.transport IN ('UET-RUD', 'UET-ROD'))
SELECT id AS flow_id, transport, src, dst, spdcid, dpdcid, job_id, epoch,
       role, state, first_ns, closed_ns - first_ns AS open_ns, handshake_ns,
       syn_packets, syn_bytes, packets, messages,
       iif(whole, entropy_values, NULL) AS entropy_values, reordered,
       iif(whole OR NOT late_behind, late_behind, NULL) AS late_behind,
       retransmitted,
       iif(whole OR NOT retx_unset, retx_unset, NULL) AS retx_unset, trimmed,
       nak_seq + nak_fatal + rnr_nak AS nacks,
       iif(whole OR NOT errors, errors, NULL) AS errors,
       (SELECT l.load FROM flow_load l WHERE l.flow_id = p.id) AS load
  FROM p
 WHERE (NOT ifnull(:once, 0)
        OR id NOT IN (SELECT flow_id FROM same_flow /*scan*/))
   AND (:flow IS NULL OR id = :flow)
   AND (:job IS NULL OR job_id = :job)
 ORDER BY id
 LIMIT :limit

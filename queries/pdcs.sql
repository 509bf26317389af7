-- What became of each packet delivery context (Ultra Ethernet)?
-- One row per direction.  Of a span of time, what is known of it; how it was
-- opened and closed is told of all the time.
--
-- param flow id NULL  only this flow
-- param job count NULL  only this job
-- param from time NULL  begin of a span; NULL: of the captures
-- param to time NULL  its end; NULL: of the captures
-- param limit count 1000  at most so many
-- column flow_id id  flow.id
-- column transport text  UET-RUD or UET-ROD
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column dpdcid hex16  PDC id of the receiver
-- column job_id count  job
-- column epoch count  from 0; a PDC id that came back
-- column role text  initiator or target
-- column state text  at the end
-- column first_ns time  first packet
-- column open_ns duration  from the first packet to the answer to CLOSE
-- column handshake_ns duration  first SYN to first answer, as seen here
-- column syn_packets count  packets sent before that answer
-- column syn_bytes bytes  payload of these: data before the handshake
-- column packets count  packets
-- column messages count  messages
-- column entropy_values count  distinct entropy values, at least
-- column reordered count  packets overtaken before this point
-- column late_behind count  came out of order behind it
-- column retransmitted count  packets sent again
-- column retx_unset count  of these, without the flag that says so (RETX)
-- column trimmed count  trimmed by switches
-- column nacks count  refusals
-- column errors count  responses with an error
--
-- uses flow-then
-- example fabscope query DB pdcs --param limit=10
SELECT f.id AS flow_id, f.transport, f.src, f.dst, f.spdcid, f.dpdcid,
       f.job_id, f.epoch, p.role, p.state, f.first_ns,
       p.closed_ns - f.first_ns AS open_ns, p.handshake_ns, p.syn_packets,
       p.syn_bytes, f.packets, f.messages,
       iif(f.whole, p.entropy_values, NULL) AS entropy_values, f.reordered,
       iif(f.whole OR NOT p.late_behind, p.late_behind, NULL) AS late_behind,
       f.retransmitted,
       iif(f.whole OR NOT p.retx_unset, p.retx_unset, NULL) AS retx_unset,
       f.trimmed,
       f.nak_seq + f.nak_fatal + f.rnr_nak AS nacks,
       iif(f.whole OR NOT p.errors, p.errors, NULL) AS errors
  FROM flow_then f
 CROSS JOIN pdc p ON p.flow_id = f.id
 WHERE f.transport IN ('UET-RUD', 'UET-ROD')
   AND (:flow IS NULL OR f.id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
 ORDER BY f.id
 LIMIT :limit

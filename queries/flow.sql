-- What is known of one flow?
-- The columns are those of the table flow (docs/schema.md).  With from and to,
-- what is known of that time.
--
-- param id id required  flow.id
-- param from time NULL  begin of a span of time
-- param to time NULL  its end
-- column id id  in order of first packet
-- column tap_id id  tap of the first packet
-- column transport text  RC UC UD XRC DC UET-ROD UET-RUD UET-RUDI
-- column src text  sender's address
-- column dst text  receiver's address
-- column dst_qp hex  queue pair it is sent to
-- column src_qp hex  the sender's queue pair
-- column spdcid hex16  UET: source PDC
-- column dpdcid hex16  UET: destination PDC
-- column job_id id  UET: job
-- column epoch count  from 0; a queue pair number that came back
-- column peer_flow_id id  flow.id of the other direction
-- column pairing text  how found: cm sport read ack assumed; NULL not
-- column pairing_confidence share  0..1
-- column visibility text  both fwd rev: which directions are here
-- column recovery text  gbn sr ooo go_back_0: how losses are repaired
-- column spray_suspect flag  1: loss verdicts are withdrawn
-- column udp_sports count  distinct UDP source ports, 255 is "or more"
-- column udp_sport id  the first of them
-- column pmtu id  path MTU, octets of payload
-- column first_ns time  time of the first packet
-- column last_ns time  time of the last packet
-- column packets count  all copies
-- column bytes bytes  octets on the wire, all copies
-- column payload_bytes bytes  octets of payload, all copies
-- column goodput_bytes bytes  octets of payload without copies
-- column requests count  packets that are requests
-- column responses count  packets that answer the other direction
-- column messages count  messages seen
-- column messages_completed count  of these, completed
-- column messages_incomplete count  of these, not
-- column expected count  packet numbers (PSN) covered
-- column lost_upstream count  lost between sender and tap, exact
-- column lost_downstream_min count  lost between tap and receiver, at least
-- column lost_downstream_max count  and at most
-- column corrupted count  of the lost: reached the tap damaged
-- column capture_missing count  delivered, but not in the capture
-- column unresolved count  gaps nothing can be said about
-- column reordered count  packets overtaken by later ones before the tap
-- column reorder_extent_max count  packets that had come before the latest one
-- column reorder_late_ns_max duration  longest delay of an overtaken packet
-- column reorder_events count  times a strict receiver would have complained
-- column retransmitted count  packets sent again
-- column retransmitted_bytes bytes  octets sent again
-- column spurious count  packets sent again without need
-- column timeouts count  times the retransmission timer fired
-- column nak_seq count  sequence error NAKs against this flow
-- column nak_fatal count  NAKs that end the queue pair
-- column rnr_nak count  receiver not ready
-- column implied_nak count  READ or ATOMIC answers that skipped one
-- column duplicates count  copies of what was already acknowledged
-- column ack_lost count  acknowledgements that never came through
-- column mirror_duplicates count  second copies of one transmission, set aside
-- column credit_stalls count  times the sender waited for credit
-- column ect count  packets that may be marked (ECT)
-- column ce count  packets marked: congestion experienced
-- column cnp count  CNPs that told this flow to slow down
-- column trimmed count  UET: packets trimmed by a switch
-- column icrc_good count  invariant CRC checked and right
-- column icrc_bad count  invariant CRC checked and wrong
-- column recoveries count  recovery episodes
-- column recovery_ns duration  sum of what they cost
-- column latency_min_ns duration  fastest message, as seen here
-- column latency_mean_ns duration  messages on average
-- column latency_max_ns duration  slowest message
-- column rtt_sender_ns duration  shortest round trip tap, sender, tap
-- column rtt_receiver_ns duration  shortest round trip tap, receiver, tap
-- column ack_timeout_code id  from CM: the timer is 4.096 us x 2^code
-- column retry_count count  from CM
-- column rnr_retry count  from CM
-- column troubled flag  1: one of the counters of trouble is not zero
--
-- uses flow-then
-- example fabscope query DB flow --param id=1
SELECT id, tap_id, transport, src, dst, dst_qp, src_qp, spdcid, dpdcid,
       job_id, epoch, peer_flow_id, pairing, pairing_confidence, visibility,
       recovery, spray_suspect, udp_sports, udp_sport, pmtu, first_ns,
       last_ns, packets, bytes, payload_bytes, goodput_bytes, requests,
       responses, messages, messages_completed, messages_incomplete, expected,
       lost_upstream, lost_downstream_min, lost_downstream_max, corrupted,
       capture_missing, unresolved, reordered, reorder_extent_max,
       reorder_late_ns_max, reorder_events, retransmitted,
       retransmitted_bytes, spurious, timeouts, nak_seq, nak_fatal, rnr_nak,
       implied_nak, duplicates, ack_lost, mirror_duplicates, credit_stalls,
       ect, ce, cnp, trimmed, icrc_good, icrc_bad, recoveries, recovery_ns,
       latency_min_ns, latency_mean_ns, latency_max_ns, rtt_sender_ns,
       rtt_receiver_ns, ack_timeout_code, retry_count, rnr_retry, troubled
  FROM flow_then
 WHERE id = :id

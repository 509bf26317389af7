-- What is known of one flow?
-- The columns are those of the table flow (docs/schema.md).  With from and to,
-- what is known of that time.
--
-- param id id required  flow.id
-- param from time NULL  start of the time window
-- param to time NULL  end of the time window
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
-- column epoch count  from 0; counts reuses of a queue pair number
-- column peer_flow_id id  flow.id of the other direction
-- column pairing word  pairing method: cm sport read ack assumed order pdcid; NULL not paired
-- column pairing_confidence share  0..1
-- column visibility word  both fwd rev: directions captured
-- column recovery word  loss recovery: gbn (go-back-N), sr (selective repeat), ooo (out-of-order placement), go_back_0
-- column spray_suspect flag  1: looks sprayed, loss verdicts are withheld
-- column udp_sports count  distinct UDP source ports, 255 is "or more"
-- column udp_sport id  the first of them
-- column pmtu id  path MTU, bytes of payload
-- column first_ns time  time of the first packet
-- column last_ns time  time of the last packet
-- column packets count  packets, retransmissions included
-- column bytes bytes  bytes on the wire, retransmissions included
-- column payload_bytes bytes  payload bytes, retransmissions included
-- column goodput_bytes bytes  payload bytes, each counted once (no retransmissions)
-- column requests count  packets that are requests
-- column responses count  responses to the other direction
-- column messages count  messages seen
-- column messages_completed count  of these, completed
-- column messages_incomplete count  of these, not
-- column expected count  PSNs covered
-- column lost_upstream count  lost upstream: between sender and tap
-- column lost_downstream_min count  lost downstream: between tap and receiver, minimum
-- column lost_downstream_max count  maximum of the same
-- column corrupted count  of the lost: corrupted upstream of the capture point
-- column capture_missing count  capture gap: delivered but not captured
-- column unresolved count  PSN gaps whose cause is ambiguous
-- column reordered count  packets reordered upstream of the capture point
-- column reorder_extent_max count  reordering extent (RFC 4737), packets
-- column reorder_late_ns_max duration  longest late time of a reordered packet
-- column reorder_events count  reorderings at which a go-back-N receiver sends a NAK
-- column retransmitted count  packets retransmitted
-- column retransmitted_bytes bytes  bytes retransmitted
-- column spurious count  spurious (unneeded) retransmissions
-- column timeouts count  retransmission timeouts (RTO)
-- column nak_seq count  sequence error NAKs against this flow
-- column nak_fatal count  NAKs that end the queue pair
-- column rnr_nak count  RNR NAKs against this flow
-- column implied_nak count  implied NAKs: READ or ATOMIC responses that skip a PSN
-- column duplicates count  duplicates of packets already acknowledged
-- column ack_lost count  ACKs lost
-- column mirror_duplicates count  mirror duplicates, counted nowhere else
-- column credit_stalls count  times the sender waited for credit
-- column ect count  ECN-capable packets (ECT)
-- column ce count  packets marked ECN CE
-- column cnp count  CNPs that the sender of this flow received
-- column trimmed count  UET: packets trimmed by a switch
-- column icrc_good count  ICRC checked, good
-- column icrc_bad count  ICRC checked, bad
-- column recoveries count  recoveries
-- column recovery_ns duration  time lost in recoveries, summed
-- column latency_min_ns duration  fastest message, as seen here
-- column latency_mean_ns duration  messages on average
-- column latency_max_ns duration  slowest message
-- column rtt_sender_ns duration  minimum RTT tap to sender and back
-- column rtt_receiver_ns duration  minimum RTT tap to receiver and back
-- column ack_timeout_code id  from CM: ACK timeout = 4.096 us x 2^code
-- column retry_count count  from CM
-- column rnr_retry count  from CM
-- column impaired flag  1: a counter of loss, retransmission, NAK or timeout is not zero
--
-- uses flow-in-window
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
       rtt_receiver_ns, ack_timeout_code, retry_count, rnr_retry, impaired
  FROM flow_in_window
 WHERE id = :id

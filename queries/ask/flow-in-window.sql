-- What did each flow do in a time window?
-- Of a flow that was there before or after as well, load comes from its steps,
-- those at the edges by their part, and losses and the like from its events, recoveries
-- and messages by when they began; payload, each byte counted once from stretches of data,
-- which there are also of flows that have no steps: their load comes from the
-- PSNs of these stretches and from copies, or of answers from what they
-- said of congestion.  Where these are not all that was counted, a figure is NULL:
-- not known.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
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
-- column ack_timeout_code id  from CM: ACK timeout = 4.096 us x 2^code
-- column retry_count count  from CM
-- column rnr_retry count  from CM
-- column impaired flag  1: a counter of loss, retransmission, NAK or timeout is not zero
-- column first_ns time  time of the first packet
-- column last_ns time  time of the last packet
-- column whole flag  0: a part of its life only
-- column packets count  packets, retransmissions included
-- column bytes bytes  bytes on the wire, retransmissions included
-- column ce count  packets marked ECN CE
-- column ect count  ECN-capable packets (ECT)
-- column cnp count  CNPs that the sender of this flow received
-- column lost_upstream count  lost upstream: between sender and tap
-- column lost_downstream_min count  lost downstream: between tap and receiver, minimum
-- column lost_downstream_max count  maximum of the same
-- column capture_missing count  capture gap: delivered but not captured
-- column unresolved count  PSN gaps whose cause is ambiguous
-- column reordered count  packets reordered upstream of the capture point
-- column retransmitted count  packets retransmitted
-- column nak_seq count  sequence error NAKs against this flow
-- column nak_fatal count  NAKs that end the queue pair
-- column rnr_nak count  RNR NAKs against this flow
-- column duplicates count  duplicates of packets already acknowledged
-- column credit_stalls count  times the sender waited for credit
-- column trimmed count  UET: packets trimmed by a switch
-- column icrc_bad count  ICRC checked, bad
-- column recoveries count  recoveries
-- column timeouts count  retransmission timeouts (RTO)
-- column recovery_ns duration  time lost in recoveries, summed
-- column messages count  messages seen
-- column latency_mean_ns duration  messages on average
-- column latency_max_ns duration  slowest message
-- column payload_bytes bytes  payload bytes, retransmissions included
-- column goodput_bytes bytes  payload bytes, each counted once (no retransmissions)
-- column requests count  packets that are requests
-- column responses count  responses to the other direction
-- column messages_completed count  of these, completed
-- column messages_incomplete count  of these, not
-- column expected count  PSNs covered
-- column corrupted count  of the lost: corrupted upstream of the capture point
-- column reorder_extent_max count  reordering extent (RFC 4737), packets
-- column reorder_late_ns_max duration  longest late time of a reordered packet
-- column reorder_events count  reorderings at which a go-back-N receiver sends a NAK
-- column retransmitted_bytes bytes  bytes retransmitted
-- column spurious count  spurious (unneeded) retransmissions
-- column implied_nak count  implied NAKs: READ or ATOMIC responses that skip a PSN
-- column ack_lost count  ACKs lost
-- column mirror_duplicates count  mirror duplicates, counted nowhere else
-- column ect_data count  ECN-capable packets with payload
-- column ce_data count  packets with payload marked ECN CE
-- column not_ect_data count  packets with payload that are not ECN-capable
-- column icrc_good count  ICRC checked, good
-- column latency_min_ns duration  fastest message, as seen here
-- column rtt_sender_ns duration  minimum RTT tap to sender and back
-- column rtt_receiver_ns duration  minimum RTT tap to receiver and back
--
-- uses trim-events
-- example fabscope query DB flow-in-window --param from=1700000000000000000
WITH span(a, z) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62)),
there AS (
  SELECT f.*, first_ns >= s.a AND last_ns <= s.z AS whole
    FROM span s, flow f /*scan*/
   WHERE f.last_ns >= s.a AND f.first_ns <= s.z),
-- live lets go of what is old: what is left is not all that was counted, but
-- all of a span that is younger
young(is_all) AS (
  SELECT ifnull(max(oldest_ns) <= a, 0) FROM span, retention /*scan*/
   WHERE dropped > 0),
-- all stretches of data are here until then, but where the newest are kept
data(until) AS (
  SELECT iif(EXISTS (SELECT 1 FROM live_status /*scan*/), NULL, max(last_ns))
    FROM burst /*scan*/),
sent AS (
  SELECT id, sum(bytes) AS bytes, sum(part * bytes) AS part,
         sum(psns) AS psns, sum(part * psns) AS psns_part
    FROM (SELECT b.flow_id AS id, b.bytes, b.psns,
                 1.0 * max(0, min(b.last_ns, s.z) - max(b.first_ns, s.a) + 1)
                   / (b.last_ns - b.first_ns + 1) AS part
            FROM span s, burst b /*scan*/
           WHERE coalesce(:from, :to) IS NOT NULL)
   GROUP BY id),
piece(id, part, packets, bytes, ce, ect, cnp, lost_upstream,
      lost_downstream_min, lost_downstream_max, capture_missing, unresolved,
      reordered, retransmitted, nak_seq, nak_fatal, rnr_nak, duplicates,
      credit_stalls, trimmed, icrc_bad, recoveries, timeouts, recovery_ns,
      messages) AS (
  SELECT b.scope_id,
         1.0 * max(0, min(b.start_ns + b.width_ns, s.z + 1)
                        - max(b.start_ns, s.a)) / b.width_ns,
         b.packets, b.bytes, b.ce, b.ect, b.cnp,
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    FROM span s, bin b /*scan*/ WHERE b.scope = 'flow'
  UNION ALL
  SELECT flow_id, ns BETWEEN a AND z, 0, 0, 0, 0, 0,
         count * (kind = 'loss_upstream'), count * (kind = 'loss_downstream'),
         value * (kind = 'loss_downstream'),
         count * (kind = 'capture_missing'), count * (kind = 'unresolved_gap'),
         count * (kind = 'reorder'), count * (kind LIKE 'retransmit%'),
         count * (kind = 'nak_seq'), count * (kind = 'nak_fatal'),
         count * (kind = 'rnr_nak'), count * (kind = 'duplicate'),
         kind = 'credit_stall', 0, count * (kind = 'icrc_bad'), 0, 0, 0, 0
    FROM span, event /*scan*/
  UNION ALL
  SELECT flow_id, ns BETWEEN a AND z, 0, 0, 0, 0, 0,
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count, 0, 0, 0, 0, 0
    FROM span, trim_events
  UNION ALL
  SELECT flow_id, first_ns BETWEEN a AND z, 0, 0, 0, 0, 0,
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, trigger = 'timeout',
         last_ns - first_ns, 0
    FROM span, recovery /*scan*/
  UNION ALL
  SELECT flow_id, first_ns BETWEEN a AND z, 0, 0, 0, 0, 0,
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
    FROM span, message /*scan*/),
part AS (
  SELECT f.id,
         iif(sum(p.packets) = f.packets OR y.is_all AND sum(p.packets) > 0,
             CAST(round(sum(p.part * p.packets)) AS INTEGER), NULL) AS packets,
         iif(sum(p.packets) = f.packets OR y.is_all AND sum(p.packets) > 0,
             CAST(round(sum(p.part * p.bytes)) AS INTEGER), NULL) AS bytes,
         iif(sum(p.packets) = f.packets OR y.is_all AND sum(p.packets) > 0,
             CAST(round(sum(p.part * p.ce)) AS INTEGER), NULL) AS ce,
         iif(sum(p.packets) = f.packets OR y.is_all AND sum(p.packets) > 0,
             CAST(round(sum(p.part * p.ect)) AS INTEGER), NULL) AS ect,
         iif(sum(p.packets) = f.packets OR y.is_all AND sum(p.packets) > 0,
             CAST(round(sum(p.part * p.cnp)) AS INTEGER), NULL) AS cnp,
         iif(sum(p.lost_upstream) = f.lost_upstream OR y.is_all,
             CAST(sum(p.part * p.lost_upstream) AS INTEGER), NULL)
           AS lost_upstream,
         iif(sum(p.lost_downstream_min) = f.lost_downstream_min OR y.is_all,
             CAST(sum(p.part * p.lost_downstream_min) AS INTEGER), NULL)
           AS lost_downstream_min,
         iif(sum(p.lost_downstream_max) = f.lost_downstream_max OR y.is_all,
             CAST(sum(p.part * p.lost_downstream_max) AS INTEGER), NULL)
           AS lost_downstream_max,
         iif(sum(p.capture_missing) = f.capture_missing OR y.is_all,
             CAST(sum(p.part * p.capture_missing) AS INTEGER), NULL)
           AS capture_missing,
         iif(sum(p.unresolved) = f.unresolved OR y.is_all,
             CAST(sum(p.part * p.unresolved) AS INTEGER), NULL) AS unresolved,
         iif(sum(p.reordered) = f.reordered OR y.is_all,
             CAST(sum(p.part * p.reordered) AS INTEGER), NULL) AS reordered,
         iif(sum(p.retransmitted) = f.retransmitted OR y.is_all,
             CAST(sum(p.part * p.retransmitted) AS INTEGER), NULL)
           AS retransmitted,
         iif(sum(p.nak_seq) = f.nak_seq OR y.is_all,
             CAST(sum(p.part * p.nak_seq) AS INTEGER), NULL) AS nak_seq,
         iif(sum(p.nak_fatal) = f.nak_fatal OR y.is_all,
             CAST(sum(p.part * p.nak_fatal) AS INTEGER), NULL) AS nak_fatal,
         iif(sum(p.rnr_nak) = f.rnr_nak OR y.is_all,
             CAST(sum(p.part * p.rnr_nak) AS INTEGER), NULL) AS rnr_nak,
         iif(sum(p.duplicates) = f.duplicates OR y.is_all,
             CAST(sum(p.part * p.duplicates) AS INTEGER), NULL) AS duplicates,
         iif(sum(p.credit_stalls) = f.credit_stalls OR y.is_all,
             CAST(sum(p.part * p.credit_stalls) AS INTEGER), NULL)
           AS credit_stalls,
         iif(sum(p.trimmed) = f.trimmed OR y.is_all,
             CAST(sum(p.part * p.trimmed) AS INTEGER), NULL) AS trimmed,
         iif(sum(p.icrc_bad) = f.icrc_bad OR y.is_all,
             CAST(sum(p.part * p.icrc_bad) AS INTEGER), NULL) AS icrc_bad,
         iif(sum(p.recoveries) = f.recoveries OR y.is_all,
             CAST(sum(p.part * p.recoveries) AS INTEGER), NULL) AS recoveries,
         iif(sum(p.timeouts) = f.timeouts OR y.is_all,
             CAST(sum(p.part * p.timeouts) AS INTEGER), NULL) AS timeouts,
         iif(sum(p.recovery_ns) = f.recovery_ns OR y.is_all,
             CAST(sum(p.part * p.recovery_ns) AS INTEGER), NULL) AS recovery_ns,
         iif(sum(p.messages) = f.messages,
             CAST(sum(p.part * p.messages) AS INTEGER), NULL) AS messages
    FROM span s, young y, piece p
    JOIN flow f ON f.id = p.id
   WHERE (f.first_ns < s.a OR f.last_ns > s.z)
     AND f.last_ns >= s.a AND f.first_ns <= s.z
   GROUP BY f.id),
-- congestion that ACKs reported, hence ACKs, by what they acknowledge
acked AS (
  SELECT b.flow_id AS id, sum(b.acks + b.trimmed) AS n,
         sum((b.acks + b.trimmed) * 1.0
             * max(0, min(b.start_ns + b.width_ns, s.z + 1)
                        - max(b.start_ns, s.a)) / b.width_ns) AS part
    FROM span s, cc_bin b /*scan*/
   WHERE coalesce(:from, :to) IS NOT NULL
   GROUP BY b.flow_id),
-- load of flows without steps: data by numbers, less those that did not come
-- by, and copies by their events; ACKs by what they reported
numbered AS (
  SELECT f.id, f.packets AS all_packets, f.bytes AS all_bytes,
         f.payload_bytes AS all_payload,
         CASE WHEN d.psns + ifnull(f.retransmitted, 0)
                     - ifnull(f.lost_upstream, 0) - ifnull(f.capture_missing, 0)
                   = f.packets
              THEN CAST(round(d.psns_part) AS INTEGER)
                   + iif(f.retransmitted, p.retransmitted, 0)
                   - iif(f.lost_upstream, p.lost_upstream, 0)
                   - iif(f.capture_missing, p.capture_missing, 0)
              END AS packets,
         d.part + iif(f.retransmitted, 1.0 * p.retransmitted
                        / f.retransmitted, 0)
                  * (f.payload_bytes - f.goodput_bytes) AS payload,
         d.bytes = f.goodput_bytes AS all_of_it,
         CASE WHEN f.requests = 0 AND t.n = f.packets THEN t.part END AS answers
    FROM span s, flow f /*scan*/
    LEFT JOIN part p ON p.id = f.id
    LEFT JOIN sent d ON d.id = f.id
    LEFT JOIN acked t ON t.id = f.peer_flow_id
   WHERE coalesce(:from, :to) IS NOT NULL AND p.packets IS NULL
     AND (f.first_ns < s.a OR f.last_ns > s.z)
     AND f.last_ns >= s.a AND f.first_ns <= s.z),
stretched AS (
  SELECT id, ifnull(packets, CAST(round(answers) AS INTEGER)) AS packets,
         CASE WHEN packets IS NULL
              THEN CAST(round(answers / all_packets * all_bytes) AS INTEGER)
              WHEN all_of_it
              THEN CAST(round(payload + 1.0 * packets / all_packets
                                * (all_bytes - all_payload)) AS INTEGER)
         END AS bytes
    FROM numbered)
SELECT f.id, f.tap_id, f.transport, f.src, f.dst, f.dst_qp, f.src_qp, f.spdcid,
       f.dpdcid, f.job_id, f.epoch, f.peer_flow_id, f.pairing,
       f.pairing_confidence, f.visibility, f.recovery, f.spray_suspect,
       f.udp_sports, f.udp_sport, f.pmtu, f.ack_timeout_code, f.retry_count,
       f.rnr_retry, f.impaired, f.first_ns, f.last_ns, f.whole,
       CASE WHEN f.whole OR NOT f.packets THEN f.packets
            ELSE coalesce(p.packets, g.packets) END AS packets,
       CASE WHEN f.whole OR NOT f.bytes THEN f.bytes
            ELSE coalesce(p.bytes, g.bytes) END AS bytes,
       iif(f.whole OR NOT f.ce, f.ce, p.ce) AS ce,
       iif(f.whole OR NOT f.ect, f.ect, p.ect) AS ect,
       iif(f.whole OR NOT f.cnp, f.cnp, p.cnp) AS cnp,
       iif(f.whole OR NOT f.lost_upstream, f.lost_upstream,
           p.lost_upstream) AS lost_upstream,
       iif(f.whole OR NOT f.lost_downstream_min, f.lost_downstream_min,
           p.lost_downstream_min) AS lost_downstream_min,
       iif(f.whole OR NOT f.lost_downstream_max, f.lost_downstream_max,
           p.lost_downstream_max) AS lost_downstream_max,
       iif(f.whole OR NOT f.capture_missing, f.capture_missing,
           p.capture_missing) AS capture_missing,
       iif(f.whole OR NOT f.unresolved, f.unresolved,
           p.unresolved) AS unresolved,
       iif(f.whole OR NOT f.reordered, f.reordered, p.reordered) AS reordered,
       iif(f.whole OR NOT f.retransmitted, f.retransmitted,
           p.retransmitted) AS retransmitted,
       iif(f.whole OR NOT f.nak_seq, f.nak_seq, p.nak_seq) AS nak_seq,
       iif(f.whole OR NOT f.nak_fatal, f.nak_fatal, p.nak_fatal) AS nak_fatal,
       iif(f.whole OR NOT f.rnr_nak, f.rnr_nak, p.rnr_nak) AS rnr_nak,
       iif(f.whole OR NOT f.duplicates, f.duplicates,
           p.duplicates) AS duplicates,
       iif(f.whole OR NOT f.credit_stalls, f.credit_stalls,
           p.credit_stalls) AS credit_stalls,
       iif(f.whole OR NOT f.trimmed, f.trimmed, p.trimmed) AS trimmed,
       iif(f.whole OR NOT f.icrc_bad, f.icrc_bad, p.icrc_bad) AS icrc_bad,
       iif(f.whole OR NOT f.recoveries, f.recoveries,
           p.recoveries) AS recoveries,
       iif(f.whole OR NOT f.timeouts, f.timeouts, p.timeouts) AS timeouts,
       iif(f.whole OR NOT f.recovery_ns, f.recovery_ns,
           p.recovery_ns) AS recovery_ns,
       iif(f.whole OR NOT f.messages, f.messages, p.messages) AS messages,
       iif(f.whole OR NOT f.latency_mean_ns, f.latency_mean_ns, NULL)
         AS latency_mean_ns,
       iif(f.whole OR NOT f.latency_max_ns, f.latency_max_ns, NULL)
         AS latency_max_ns,
       iif(f.whole OR NOT f.payload_bytes, f.payload_bytes, NULL)
         AS payload_bytes,
       CASE WHEN f.whole OR NOT f.goodput_bytes OR f.goodput_bytes IS NULL
            THEN f.goodput_bytes
            WHEN d.bytes = f.goodput_bytes OR s.z <= u.until
            THEN CAST(round(ifnull(d.part, 0)) AS INTEGER) END
         AS goodput_bytes,
       iif(f.whole OR NOT f.requests, f.requests, NULL) AS requests,
       iif(f.whole OR NOT f.responses, f.responses, NULL) AS responses,
       iif(f.whole OR NOT f.messages_completed, f.messages_completed, NULL)
         AS messages_completed,
       iif(f.whole OR NOT f.messages_incomplete, f.messages_incomplete, NULL)
         AS messages_incomplete,
       iif(f.whole OR NOT f.expected, f.expected, NULL) AS expected,
       iif(f.whole OR NOT f.corrupted, f.corrupted, NULL) AS corrupted,
       iif(f.whole OR NOT f.reorder_extent_max, f.reorder_extent_max, NULL)
         AS reorder_extent_max,
       iif(f.whole OR NOT f.reorder_late_ns_max, f.reorder_late_ns_max, NULL)
         AS reorder_late_ns_max,
       iif(f.whole OR NOT f.reorder_events, f.reorder_events, NULL)
         AS reorder_events,
       iif(f.whole OR NOT f.retransmitted_bytes, f.retransmitted_bytes, NULL)
         AS retransmitted_bytes,
       iif(f.whole OR NOT f.spurious, f.spurious, NULL) AS spurious,
       iif(f.whole OR NOT f.implied_nak, f.implied_nak, NULL) AS implied_nak,
       iif(f.whole OR NOT f.ack_lost, f.ack_lost, NULL) AS ack_lost,
       iif(f.whole OR NOT f.mirror_duplicates, f.mirror_duplicates, NULL)
         AS mirror_duplicates,
       iif(f.whole OR NOT f.ect_data, f.ect_data, NULL) AS ect_data,
       iif(f.whole OR NOT f.ce_data, f.ce_data, NULL) AS ce_data,
       iif(f.whole OR NOT f.not_ect_data, f.not_ect_data, NULL) AS not_ect_data,
       iif(f.whole OR NOT f.icrc_good, f.icrc_good, NULL) AS icrc_good,
       iif(f.whole OR NOT f.latency_min_ns, f.latency_min_ns, NULL)
         AS latency_min_ns,
       iif(f.whole OR NOT f.rtt_sender_ns, f.rtt_sender_ns, NULL)
         AS rtt_sender_ns,
       iif(f.whole OR NOT f.rtt_receiver_ns, f.rtt_receiver_ns, NULL)
         AS rtt_receiver_ns
  FROM span s, data u, there f
  LEFT JOIN part p ON p.id = f.id
  LEFT JOIN sent d ON d.id = f.id
  LEFT JOIN stretched g ON g.id = f.id
 ORDER BY f.id

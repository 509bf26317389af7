-- Which packets were seen at one capture point and not at the next?
-- Needs two taps.
--
-- param segment id NULL  of this segment only
-- param flow id NULL  of this flow only, at the first of the two
-- param verdict text lost  lost, missed (by the capture), open; all
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column ns time  when it was seen
-- column from_tap text  where it was seen
-- column to_tap text  where it was not
-- column flow id  flow.id there
-- column src text  sender
-- column dst text  receiver
-- column psn count  PSN
-- column kind word  request, response, ACK
-- column verdict text  lost, missed, open
-- column frame count  its frame where it was seen
-- column retransmit_frame count  frame of its retransmission there
-- column before_frame count  last frame before it at the other capture point
-- column confidence share  confidence, 0..1
-- column detail reason  why; CSV and JSON: with the rule that decided
--
-- example fabscope query DB unmatched --param verdict=all
SELECT v.ns, a.name AS from_tap, b.name AS to_tap, v.flow_id AS flow, f.src,
       f.dst, v.psn, v.kind, v.verdict, v.frame, v.retransmit_frame,
       v.before_frame, v.confidence, v.detail
  FROM unmatched v /*scan*/
  JOIN segment s ON s.id = v.segment_id
  JOIN tap a ON a.id = v.tap_id
  JOIN tap b ON b.id = s.to_tap_id
  JOIN flow f ON f.id = v.flow_id
 WHERE (:segment IS NULL OR v.segment_id = :segment)
   AND (:flow IS NULL OR v.flow_id = :flow)
   AND (:verdict = 'all' OR v.verdict = :verdict)
   AND (:from IS NULL OR v.ns >= :from)
   AND (:to IS NULL OR v.ns <= :to)
 ORDER BY v.ns, v.id
 LIMIT :limit

-- What did senders make of the notifications they got?
-- A window after a CNP in which the rate is 80 % or less of that before counts
-- as reacted.  ignored is the longest row of CNPs, closely spaced, after which
-- the rate was still above 80 % of that before the first.
--
-- param flow id NULL  of one flow
-- param from time NULL  only flows that were there after
-- param to time NULL  only flows that were there before
-- param limit count 100  at most so many
-- column flow_id id  flow.id
-- column tap_id id  tap.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column marks count  marked data packets
-- column cnps count  CNPs
-- column reacted count  windows in which the rate fell
-- column not_reacted count  in which it did not
-- column inconclusive count  that tell nothing
-- column ignored count  CNPs in a row without effect
-- column rate_start_bps rate  before the first CNP
-- column rate_low_bps rate  lowest window after a CNP
-- column rate_end_bps rate  latest window after a CNP
-- column shared flag  what passes here need not be the sender's rate
--
-- example fabscope query DB reactions --param limit=20
SELECT c.flow_id, f.tap_id, f.src, f.dst, f.dst_qp, c.marks, c.cnps,
       c.reacted, c.not_reacted, c.inconclusive, c.ignored, c.rate_start_bps,
       c.rate_low_bps, c.rate_end_bps, c.shared
  FROM congestion /*scan*/ c
  JOIN flow f ON f.id = c.flow_id
 WHERE c.cnps > 0
   AND (:flow IS NULL OR c.flow_id = :flow)
   AND (:from IS NULL OR f.last_ns >= :from)
   AND (:to IS NULL OR f.first_ns <= :to)
 ORDER BY c.ignored DESC, c.cnps DESC, c.flow_id
 LIMIT :limit

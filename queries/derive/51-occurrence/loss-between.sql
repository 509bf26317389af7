-- Which packets were lost, or trimmed, between two capture points?
-- Rule M1: seen at one of them, and not at the other, or without their
-- payload.  One row for each
-- of the two flows; the tap is that behind the loss, where what was not seen is
-- counted, and so are the hosts: of one loss that both saw they are the same,
-- although one may take a READ for what was lost and the other its response.
-- Trimmed packets are counted by the one that they passed whole: the other's
-- recoveries are cut into other pieces.
-- Responses that a READ missed (R16, R17) are packets of the other direction.
--
-- into temp.occurrence
-- needs recovery
WITH carried AS MATERIALIZED (
  SELECT r.*, CASE WHEN r.rule IN ('R16', 'R17') THEN f.peer_flow_id
                   ELSE f.id END AS carrier_id
    FROM recovery r /*scan*/
    JOIN flow f ON f.id = r.flow_id
   WHERE r.id IN (SELECT seen_id FROM same_loss
                  UNION ALL SELECT lost_id FROM same_loss
                  UNION ALL SELECT recovery_id FROM segment_loss))
SELECT CASE WHEN b.cause = 'trimmed_upstream' THEN 'trimmed_between'
            ELSE 'loss_between' END AS kind, f.id AS flow_id, b.tap_id, o.src, o.dst,
       f.id = b.carrier_id AS occurrences,
       f.id = b.carrier_id AND b.trigger IN ('nak', 'implied_nak')
         AND b.rule NOT LIKE 'U%' AS named,
       CASE WHEN f.id = b.carrier_id THEN b.lost_min END AS lost_min,
       CASE WHEN f.id = b.carrier_id THEN b.lost_min END AS lost_max,
       CASE WHEN f.id = b.carrier_id
            THEN iif(b.cause = 'trimmed_upstream', a.retransmitted_packets,
                     max(a.retransmitted_packets, b.retransmitted_packets)) END
         AS retransmitted_packets,
       CASE WHEN f.id = b.carrier_id
            THEN iif(b.cause = 'trimmed_upstream', a.retransmitted_bytes,
                     max(a.retransmitted_bytes, b.retransmitted_bytes)) END
         AS retransmitted_bytes,
       CASE WHEN f.id = b.carrier_id
            THEN max(a.last_ns - a.first_ns, b.last_ns - b.first_ns, 0) END
         AS cost_ns,
       min(a.first_ns, b.first_ns) AS first_ns,
       max(a.last_ns, b.last_ns) AS last_ns,
       CASE WHEN f.id = b.carrier_id
            THEN ifnull(b.frame_detect, b.frame_first) END AS frame,
       b.tap_id AS frame_tap_id,
       max(a.confidence, b.confidence) AS confidence
  FROM same_loss s /*scan*/
  JOIN carried a ON a.id = s.seen_id
  JOIN carried b ON b.id = s.lost_id
  JOIN flow f ON f.id IN (a.carrier_id, b.carrier_id)
  JOIN flow o ON o.id = b.carrier_id
 WHERE s.counted
UNION ALL
SELECT 'loss_between', f.id, g.to_tap_id, f.src, f.dst, 1,
       r.trigger IN ('nak', 'implied_nak') AND r.rule NOT LIKE 'U%',
       s.packets, s.packets, r.retransmitted_packets, r.retransmitted_bytes,
       max(r.last_ns - r.first_ns, 0), r.first_ns, r.last_ns,
       ifnull(r.frame_detect, r.frame_first), r.tap_id, s.confidence
  FROM segment_loss s /*scan*/
  JOIN segment g ON g.id = s.segment_id
  JOIN carried r ON r.id = s.recovery_id
  JOIN flow f ON f.id = r.carrier_id

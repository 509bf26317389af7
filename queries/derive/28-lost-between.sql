-- Losses that two capture points show to be one, between them.
-- needs recovery

-- Losses, and packets trimmed, that two capture points saw from both
-- sides: the same retransmission of the same PSN, recovered at the same time.  What
-- one calls lost or reordered downstream, and the other saw come late, was reordered
-- between them.  What one place cannot tell (perhaps lost downstream) and the
-- other never saw was lost between them.
INSERT INTO same_loss(seen_id, lost_id, counted, late)
WITH lost AS MATERIALIZED (
  SELECT r.id, r.psn, r.cause LIKE 'trimmed%' AS cut,
         r.cause IN ('loss_upstream', 'trimmed_upstream') AS behind,
         r.cause = 'reorder' AND r.rule NOT LIKE 'R26%' AS late,
         r.cause = 'unknown' AS unsure, r.first_ns,
         r.detect_ns, t.place, f.src, f.dst, f.dst_qp, f.spdcid,
         row_number() OVER (PARTITION BY r.flow_id, r.psn, r.cause = 'unknown'
                            ORDER BY r.id) AS nth
    FROM (SELECT 1 WHERE (SELECT count(DISTINCT place) FROM tap) > 1)
   CROSS JOIN recovery r
    JOIN flow f ON f.id = r.flow_id
    JOIN tap t ON t.id = r.tap_id
   WHERE (r.cause IN ('loss_upstream', 'loss_downstream', 'loss_or_reorder',
                      'reorder', 'trimmed_upstream', 'trimmed_downstream')
          OR r.cause = 'unknown' AND r.lost_max > 0)
     AND NOT f.spray_suspect),
pairs AS MATERIALIZED (
  SELECT a.id AS seen_id, b.id AS lost_id, b.late,
         row_number() OVER (PARTITION BY b.id
                            ORDER BY a.unsure, a.detect_ns, a.id)
           AS from_loss,
         row_number() OVER (PARTITION BY a.id ORDER BY b.detect_ns DESC, b.id)
           AS to_loss
    FROM lost a
    JOIN lost b ON b.src = a.src AND b.dst = a.dst AND b.psn = a.psn
               AND b.nth = a.nth AND b.cut = a.cut
               AND b.dst_qp IS a.dst_qp
               AND b.spdcid IS a.spdcid
   WHERE NOT a.behind AND NOT a.late
     AND (b.behind OR b.late AND NOT a.unsure)
     AND a.place <> b.place
     AND abs(a.first_ns - b.first_ns) < 1000000000)
SELECT seen_id, lost_id, from_loss = 1 AND to_loss = 1 AND NOT late, late
  FROM pairs;

-- Retransmissions of what was trimmed reach two capture points in other orders, and
-- a recovery has the PSN of the first: what passed one whole and came to the
-- next trimmed, at that time and within as many PSNs as were retransmitted.
INSERT INTO same_loss(seen_id, lost_id, counted, late)
WITH cut AS MATERIALIZED (
  SELECT r.id, r.cause = 'trimmed_upstream' AS behind, r.psn, r.first_ns,
         r.last_ns, r.retransmitted_packets, w.tap_path_id, w.hop
    FROM recovery r /*scan*/
    JOIN flow f ON f.id = r.flow_id
   CROSS JOIN tap_path w ON w.flow_id = r.flow_id
   WHERE r.cause IN ('trimmed_upstream', 'trimmed_downstream')
     AND NOT f.spray_suspect
     AND r.id NOT IN (SELECT seen_id FROM same_loss)
     AND r.id NOT IN (SELECT lost_id FROM same_loss)),
pairs AS MATERIALIZED (
  SELECT a.id AS seen_id, b.id AS lost_id,
         row_number() OVER (PARTITION BY b.id
                            ORDER BY abs(a.first_ns - b.first_ns), a.id)
           AS from_cut,
         row_number() OVER (PARTITION BY a.id
                            ORDER BY abs(a.first_ns - b.first_ns), b.id)
           AS to_cut
    FROM cut a
    JOIN cut b ON b.tap_path_id = a.tap_path_id AND b.hop > a.hop
               AND b.first_ns <= a.last_ns AND b.last_ns >= a.first_ns
   WHERE NOT a.behind AND b.behind
     AND abs(a.psn - b.psn)
         <= max(a.retransmitted_packets, b.retransmitted_packets))
SELECT seen_id, lost_id, 1, 0
  FROM pairs
 WHERE from_cut = 1 AND to_cut = 1;

-- What one of them has in one recovery the other has in several.  Where no more
-- came trimmed to the second than went whole past the first, all of it did.
INSERT INTO same_loss(seen_id, lost_id, counted, late)
WITH cut AS MATERIALIZED (
  SELECT r.id, r.cause = 'trimmed_upstream' AS behind, w.tap_path_id, w.hop,
         sum(r.retransmitted_packets)
           OVER (PARTITION BY w.tap_path_id, w.hop, r.cause) AS packets
    FROM recovery r /*scan*/
    JOIN flow f ON f.id = r.flow_id
   CROSS JOIN tap_path w ON w.flow_id = r.flow_id
   WHERE r.cause IN ('trimmed_upstream', 'trimmed_downstream')
     AND NOT f.spray_suspect),
seen AS MATERIALIZED (
  SELECT tap_path_id, hop, packets, min(id) AS id FROM cut
   WHERE NOT behind GROUP BY tap_path_id, hop)
SELECT min(a.id), b.id,
       row_number() OVER (PARTITION BY min(a.id) ORDER BY b.id) = 1
         AND min(a.id) NOT IN (SELECT seen_id FROM same_loss WHERE counted),
       0
  FROM seen a
  JOIN cut b ON b.tap_path_id = a.tap_path_id AND b.hop > a.hop
 WHERE b.behind AND b.packets <= a.packets
   AND b.id NOT IN (SELECT lost_id FROM same_loss)
 GROUP BY b.id;

-- Losses that the place behind them has no loss event of: each packet of the
-- range that was lost, and passed before the retransmission; a timer runs from
-- the last transmission of its first packet, which others may have followed.
-- Ranges of selective retransmissions overlap: a packet counts once, for the
-- recovery that begins with it, or else for the first that may be of it; a
-- recovery of which others have all packets stays, with none.
INSERT INTO segment_loss(recovery_id, segment_id, packets, confidence)
SELECT id, segment_id, sum(nth = 1), min(confidence)
  FROM (SELECT r.id, r.paired, v.segment_id, v.confidence,
               row_number() OVER (PARTITION BY v.id
                                  ORDER BY v.psn = r.psn DESC, r.id) AS nth
          FROM (SELECT r.id, r.psn, r.first_ns, r.retransmit_ns, r.tap_id,
                       iif(r.trigger = 'timeout', r.frame_first, NULL)
                         AS timed_frame,
                       r.id IN (SELECT seen_id FROM same_loss) AS paired,
                       CASE WHEN r.rule IN ('R16', 'R17') THEN f.peer_flow_id
                            ELSE f.id END AS of_id,
                       CASE WHEN r.rule IN ('R16', 'R17') THEN 'response'
                            ELSE 'request' END AS kind,
                       max(r.lost_max, r.retransmitted_packets) AS most
                  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM unmatched))
                 CROSS JOIN recovery r /*scan*/
                  JOIN flow f ON f.id = r.flow_id
                 WHERE r.cause IN ('loss_downstream', 'loss_or_reorder',
                                   'unknown')
                   AND (r.rule <> 'R17' OR r.cause = 'loss_downstream')
                   AND r.lost_max > 0) r
         CROSS JOIN unmatched v
            ON v.flow_id = r.of_id AND v.psn >= r.psn
           AND v.psn < r.psn + CASE WHEN r.paired THEN 1 ELSE r.most END
         WHERE v.verdict = 'lost' AND v.kind = r.kind
           AND (v.ns >= r.first_ns
                OR v.psn = r.psn AND v.retransmit_frame = r.timed_frame
                   AND v.tap_id = r.tap_id)
           AND v.ns < r.retransmit_ns)
 WHERE NOT paired
 GROUP BY id;

-- A timer repeats what had arrived as well, from the first packet that was not
-- acknowledged on.  Alone the place behind the loss takes what follows for new
-- data, and the ACK for lost (R11); it was the data, which the same timer
-- brought there for the first time.
CREATE TEMP TABLE timed AS
SELECT b.id, b.flow_id, b.psn, b.frame_first, count(DISTINCT v.psn) AS packets,
       min(v.confidence) AS confidence
  FROM segment_loss s /*scan*/
  JOIN recovery a ON a.id = s.recovery_id
 CROSS JOIN unmatched v
    ON v.flow_id = a.flow_id AND v.psn >= a.psn AND v.tap_id = a.tap_id
   AND v.segment_id = s.segment_id
   AND v.retransmit_frame BETWEEN a.frame_first AND a.frame_last
 CROSS JOIN recovery b ON b.flow_id = v.to_flow_id AND b.psn = a.psn
 WHERE a.trigger = 'timeout' AND b.trigger = 'timeout'
   AND b.cause = 'ack_loss' AND v.verdict = 'lost' AND v.kind = 'request'
   AND abs(a.first_ns - b.first_ns) < 1000000000
 GROUP BY b.id;
UPDATE recovery
   SET cause = 'loss_upstream', rule = 'M1', lost_min = t.packets,
       lost_max = t.packets, confidence = t.confidence
  FROM temp.timed t
 WHERE t.id = recovery.id;
UPDATE flow SET ack_lost = ack_lost - t.acks
  FROM (SELECT flow_id, count(*) AS acks FROM temp.timed GROUP BY flow_id) t
 WHERE t.flow_id = flow.id AND flow.ack_lost >= t.acks;
DELETE FROM event
 WHERE kind = 'ack_lost' AND flow_id IN (SELECT flow_id FROM temp.timed)
   AND (flow_id, psn, frame) IN (SELECT flow_id, psn, frame_first
                                   FROM temp.timed);
DROP TABLE temp.timed;

-- What was lost between them packet by packet (M1) is in the count of either,
-- though the place before the loss has no recovery that begins with it: all
-- that the replay brought behind the loss for the first time.  (Of a PDC some
-- of many PSNs may be missing.)
-- What a READ that is requested again misses (R16, R17) are responses: packets
-- of the other direction, with PSNs of their own.
INSERT INTO same_loss(seen_id, lost_id, counted, late)
WITH carried AS MATERIALIZED (
  SELECT r.id, r.psn, r.cause, r.last_ns, r.lost_min,
         iif(f.spdcid IS NULL, max(r.lost_max, 1) + r.retransmitted_packets,
             0x7fffffff) AS most,
         CASE WHEN r.rule IN ('R16', 'R17') THEN f.peer_flow_id
              ELSE f.id END AS flow_id,
         CASE WHEN r.rule IN ('R16', 'R17') THEN 'response'
              ELSE 'request' END AS kind
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM same_loss)
                      OR EXISTS (SELECT 1 FROM segment_loss))
   CROSS JOIN recovery r /*scan*/
    JOIN flow f ON f.id = r.flow_id
   WHERE r.cause = 'loss_upstream'
      OR r.id IN (SELECT seen_id FROM same_loss WHERE counted
                  UNION ALL SELECT recovery_id FROM segment_loss)),
of_segment AS MATERIALIZED (
  SELECT c.flow_id, c.kind, s.segment_id, min(c.id) AS seen_id
    FROM segment_loss s /*scan*/
    JOIN carried c ON c.id = s.recovery_id
   WHERE s.packets > 0
   GROUP BY c.flow_id, c.kind, s.segment_id),
pair AS MATERIALIZED (
  SELECT a.flow_id, b.flow_id AS to_flow_id, a.kind, min(s.seen_id) AS seen_id
    FROM same_loss s
   CROSS JOIN carried a ON a.id = s.seen_id
   CROSS JOIN carried b ON b.id = s.lost_id AND +b.kind = a.kind
   WHERE s.counted GROUP BY a.flow_id, b.flow_id, a.kind
  UNION ALL
  SELECT g.flow_id, v.to_flow_id, g.kind, g.seen_id
    FROM of_segment g
   CROSS JOIN unmatched v ON v.flow_id = g.flow_id AND v.kind = g.kind
                         AND v.segment_id = g.segment_id
                         AND v.verdict = 'lost'
   GROUP BY g.flow_id, v.to_flow_id, g.kind),
lost AS MATERIALIZED (
  SELECT id, flow_id, psn, kind, most, last_ns, max(lost_min, 1) AS packets
    FROM carried
   WHERE cause = 'loss_upstream'
     AND id NOT IN (SELECT lost_id FROM same_loss))
SELECT min(p.seen_id), b.id, 0, 0
  FROM pair p
 CROSS JOIN lost b ON b.flow_id = p.to_flow_id AND b.kind = p.kind
 WHERE b.packets <= (SELECT count(*) FROM unmatched v
                      WHERE v.flow_id = p.flow_id AND v.to_flow_id = b.flow_id
                        AND v.kind = b.kind AND v.verdict = 'lost'
                        AND v.psn >= b.psn AND v.psn < b.psn + b.most
                        AND v.ns < b.last_ns)
 GROUP BY b.id;

-- What one NAK named is one loss, though a second replay brought it and the
-- first nothing that was missing.
INSERT INTO same_loss(seen_id, lost_id, counted, late)
SELECT min(s.seen_id), b.id, 0, 0
  FROM same_loss s /*scan*/
  JOIN recovery a ON a.id = s.lost_id
 CROSS JOIN recovery b
    ON b.flow_id = a.flow_id AND b.tap_id = a.tap_id
   AND b.frame_detect = a.frame_detect
 WHERE s.counted AND b.cause = 'loss_upstream' AND b.lost_max = 0
   AND b.id NOT IN (SELECT lost_id FROM same_loss)
 GROUP BY b.id;

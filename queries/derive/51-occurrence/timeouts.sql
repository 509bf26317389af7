-- When did timers repair losses, and was a whole path gone?
-- Kinds: tail_loss_upstream and tail_loss_downstream (few packets of one flow),
-- outage_upstream and outage_downstream (all flows between two hosts lost
-- several packets at the same time), unanswered (what was sent was seen here, and
-- no answer did), timeout (the reason is not observable).  What a timer of UET had
-- retransmitted beside what was lost (U21) is reported with the loss.
-- Recoveries of a pair of hosts that overlap form an island; it is an outage when
-- no flow of the pair that was in use got through, as far as can be said: what
-- the capture misses may have.
-- into temp.occurrence
-- needs recovery
-- param least duration 1ms  an outage lasts at least so long
-- param several count 2  packets each flow must have lost
-- param missing share 0.001  the capture may miss so much of these flows
WITH t AS (
  SELECT r.id, r.flow_id, r.tap_id, r.psn, r.cause,
         r.rule LIKE 'R11 or R12%' OR r.rule = 'U22' AS unanswered, r.lost_min, r.lost_max,
         r.first_ns, r.last_ns, r.resent_ns, r.idle_ns, r.frame,
         r.retransmitted_packets, r.retransmitted_bytes, r.confidence, r.answer,
         CASE WHEN r.answer THEN f.dst ELSE f.src END AS src,
         CASE WHEN r.answer THEN f.src ELSE f.dst END AS dst
    FROM (SELECT *, retransmit_ns AS resent_ns, rule LIKE 'R17%' AS answer,
                 ifnull(frame_detect, frame_first) AS frame,
                 rule = 'U21' AND count(*) FILTER (WHERE cause <> 'unknown')
                   OVER (PARTITION BY flow_id ORDER BY retransmit_ns
                         RANGE BETWEEN 1000000 PRECEDING
                                   AND 1000000 FOLLOWING) AS beside
            FROM recovery /*scan*/
           WHERE trigger = 'timeout'
             AND cause IN ('loss_upstream', 'loss_downstream', 'unknown')
             AND id NOT IN (SELECT seen_id FROM same_loss)
             AND id NOT IN (SELECT recovery_id FROM segment_loss)
             AND id NOT IN (SELECT lost_id FROM same_loss WHERE NOT late)) r
    JOIN flow f ON f.id = r.flow_id
   WHERE NOT r.beside),
edges AS (
  SELECT id, flow_id, tap_id, src, dst, first_ns, resent_ns, lost_min,
         ifnull(first_ns > max(resent_ns)
                OVER (PARTITION BY tap_id, src, dst ORDER BY first_ns, id
                      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 1)
           AS fresh
    FROM t WHERE cause <> 'unknown'),
islands AS (
  SELECT *, sum(fresh) OVER (PARTITION BY tap_id, src, dst
                             ORDER BY first_ns, id) AS island FROM edges),
candidates AS MATERIALIZED (
  SELECT tap_id, src, dst, island, count(*) AS flows,
         max(first_ns) AS from_ns, min(resent_ns) AS to_ns
    FROM (SELECT tap_id, src, dst, island, min(first_ns) AS first_ns,
                 max(resent_ns) AS resent_ns, max(lost_min) AS lost
            FROM islands GROUP BY tap_id, src, dst, island, flow_id)
   GROUP BY tap_id, src, dst, island
  HAVING count(*) > 1 AND min(lost) >= :several
     AND min(resent_ns) - max(first_ns) >= :least),
outages AS MATERIALIZED (
  SELECT c.tap_id, c.src, c.dst, c.island
    FROM flow /*scan*/ f
   CROSS JOIN candidates c ON c.src = f.src AND c.dst = f.dst
                          AND c.tap_id = f.tap_id
   WHERE f.requests > 0 AND f.first_ns <= c.from_ns AND f.last_ns > c.from_ns
   GROUP BY c.tap_id, c.src, c.dst, c.island
  HAVING count(*) <= max(c.flows)
     AND total(f.capture_missing) <= :missing * total(f.expected))
SELECT CASE WHEN t.unanswered THEN 'unanswered'
            WHEN t.cause = 'unknown' THEN 'timeout'
            WHEN o.island IS NULL THEN 'tail_' || t.cause
            ELSE 'outage_' || substr(t.cause, length('loss_') + 1)
       END AS kind,
       t.flow_id, t.tap_id, t.psn, t.src, t.dst, 1 AS occurrences,
       t.answer AS named, t.lost_min,
       t.lost_max, t.retransmitted_packets, t.retransmitted_bytes, t.idle_ns,
       max(t.last_ns - t.first_ns, 0) AS cost_ns, t.first_ns, t.last_ns,
       t.frame, t.confidence
  FROM t
  LEFT JOIN islands i ON i.id = t.id
  LEFT JOIN outages o ON o.tap_id = i.tap_id AND o.src = i.src
                     AND o.dst = i.dst AND o.island = i.island

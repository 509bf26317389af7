-- Which losses, NAKs, retransmissions and CNPs were there, between the ends of a flow?
-- Each row is a step of a ladder with three rungs: the sender, the capture
-- point, the receiver.  way says which of them it concerns: over (sender to
-- receiver), back (receiver to sender), before (never came here), behind (was
-- here, never arrived), here (noticed here), at-sender.
--
-- param flow id required  flow.id
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 2000  maximum number of rows
-- column ns time  when it was seen
-- column since_ns duration  since the row before
-- column way word  over back before behind here at-sender
-- column kind text  what
-- column psn id  first PSN concerned
-- column count count  packets, where several
-- column frame id  frame number in the file of the tap
-- column tap_id id  tap.id
-- column says text  note
-- column recovery id  recovery.id that it is part of; query why shows how it was decided
--
-- example fabscope query DB ladder --param flow=1
WITH ways(kind, way, name) AS (VALUES
  ('loss_upstream', 'before', 'lost'),
  ('loss_downstream', 'behind', 'lost'),
  ('capture_missing', 'here', 'not captured'),
  ('unresolved_gap', 'here', 'gap'),
  ('reorder', 'over', 'reordered'),
  ('mirror_duplicate', 'here', 'mirror duplicate'),
  ('retransmit_nak', 'over', 'retransmitted'),
  ('retransmit_timeout', 'over', 'retransmitted'),
  ('retransmit_rnr', 'over', 'retransmitted'),
  ('retransmit_spurious', 'over', 'retransmitted'),
  ('retransmit_implied', 'over', 'requested again'),
  ('retransmit_unknown', 'over', 'retransmitted'),
  ('nak_seq', 'back', 'NAK'),
  ('nak_fatal', 'back', 'fatal NAK'),
  ('rnr_nak', 'back', 'RNR NAK'),
  ('implied_nak', 'back', 'response skipped'),
  ('ack_lost', 'back', 'ACK lost'),
  ('icrc_bad', 'over', 'bad ICRC'),
  ('cnp_unexplained', 'back', 'CNP'),
  ('epoch', 'at-sender', 'QP reused'),
  ('trimmed', 'over', 'trimmed'),
  ('credit_stall', 'at-sender', 'no credit'),
  ('nak_stall', 'at-sender', 'idle after NAK'),
  ('duplicate', 'over', 'duplicate'),
  ('response_error', 'back', 'error'),
  ('outage', 'here', 'PSN jump')),
-- what a recovery was decided by: its NAK, its original, its retransmission
part AS MATERIALIZED (
  SELECT frame, min(id) AS recovery
    FROM (SELECT id, frame_first AS frame FROM recovery WHERE flow_id = :flow
          UNION ALL
          SELECT id, frame_original FROM recovery WHERE flow_id = :flow
          UNION ALL
          SELECT id, frame_detect FROM recovery WHERE flow_id = :flow)
   WHERE frame IS NOT NULL
   GROUP BY frame),
rows AS (
  SELECT e.ns, iif(e.detail LIKE 'U6%', 'back', w.way) AS way,
         -- U6 is the refusal of what was trimmed; the code stands in says
         transport_words(f.transport,
                         iif(e.detail LIKE 'U6%'
                             OR e.kind = 'rnr_nak'
                                AND f.transport LIKE 'UET-%', 'NAK',
                             ifnull(w.name, e.kind))) AS kind,
         e.psn, e.count, e.frame, e.tap_id,
         trim(CASE WHEN e.kind LIKE 'retransmit%'
              THEN transport_words(f.transport, words(substr(e.kind, 12)))
              ELSE '' END
           || CASE WHEN f.transport LIKE 'UET-%'
                    AND (e.kind <> 'trimmed' OR e.detail LIKE 'U6%')
                   THEN ifnull(uet_says(e.kind, e.value) || ', ', '')
                   WHEN e.kind = 'rnr_nak' AND e.value IS NOT NULL
                   THEN 'wait ' || human_ns(e.value)
                   WHEN e.kind = 'credit_stall' AND e.value IS NOT NULL
                   THEN human_ns(e.value) ELSE '' END
           || ifnull(CASE WHEN e.kind LIKE 'retransmit%' THEN ': ' ELSE '' END
                     || reason(e.detail), '')
           || CASE WHEN e.confidence < 0.995
                   THEN ' (' || human_share(e.confidence) || ' confidence)'
                   ELSE '' END) AS says, e.id AS place,
         p.recovery
    FROM event e
    LEFT JOIN ways w ON w.kind = e.kind
    LEFT JOIN flow f ON f.id = e.flow_id
    LEFT JOIN part p ON p.frame = e.frame
   WHERE e.flow_id = :flow
  UNION ALL
  SELECT c.ns, 'back', 'CNP', NULL, NULL, c.frame, c.tap_id,
         CASE WHEN c.latency_max_ns IS NOT NULL
              THEN 'after CE mark ' || CASE WHEN c.clean = 1 THEN '' ELSE '<= ' END
                   || human_ns(c.latency_max_ns) || ', ' ELSE '' END
           || ifnull('sender: ' || c.reaction, 'not judged')
           || CASE WHEN c.rate_after_bps IS NOT NULL
                   THEN ' (' || human_rate(c.rate_before_bps) || ' to '
                        || human_rate(c.rate_after_bps) || ')' ELSE '' END,
         c.id, NULL
    FROM cnp c
   WHERE c.flow_id = :flow
  UNION ALL
  SELECT b.start_ns, 'over', 'CE marked', NULL, b.ce, NULL, b.tap_id,
         'within ' || human_ns(b.width_ns), b.start_ns, NULL
    FROM bin b
   WHERE b.scope = 'flow' AND b.scope_id = :flow AND b.ce > 0
  UNION ALL
  SELECT s.first_ns, 'at-sender', 'stalled', NULL, NULL, s.frame,
         s.tap_id, human_ns(s.last_ns - s.first_ns) || ', ' || s.cause
           || ' by ' || s.source_mac, s.id, NULL
    FROM stall s /*scan*/
   WHERE s.flow_id = :flow)
SELECT ns, ns - lag(ns) OVER (ORDER BY ns, place) AS since_ns, way, kind, psn,
       count, frame, tap_id, says, recovery
  FROM rows
 WHERE (:from IS NULL OR ns >= :from) AND (:to IS NULL OR ns <= :to)
 ORDER BY ns, place
 LIMIT :limit

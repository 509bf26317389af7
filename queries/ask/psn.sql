-- Which PSNs did a flow use when, and which of them were lost, retransmitted or NAKed?
-- Numbers are counted on from the first one shown, so that they do not begin
-- anew at the end of their space.  Sent: every stretch of data without a pause of
-- its sender, and messages (the slow, the unusual and a sample); of more rows
-- than the limit as many, spread evenly over the time.
--
-- param flow id required  flow.id
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 20000  maximum number of rows
-- column ns time  when
-- column end_ns time  of what was sent: the last packet
-- column number count  of the packet; NULL it has none (CE, CNP)
-- column end_number count  of what was sent: that of the last packet
-- column kind text  sent, retransmitted, lost, trimmed, not captured, gap, NAK, reordered; data: an interval with packets
-- column psn id  the number in the packet
-- column count count  packets, where several
-- column frame id  frame number in the file of the tap
-- column tap_id id  tap.id
-- column messages count  where not all that was sent is here: messages of the flow
--
-- uses trim-events
-- example fabscope query DB psn --param flow=1
WITH kinds(event, kind) AS (VALUES
  ('loss_upstream', 'lost'), ('loss_downstream', 'lost'),
  ('capture_missing', 'not captured'), ('unresolved_gap', 'gap'),
  ('reorder', 'reordered'), ('retransmit_nak', 'retransmitted'),
  ('retransmit_timeout', 'retransmitted'), ('retransmit_rnr', 'retransmitted'),
  ('retransmit_spurious', 'retransmitted'), ('retransmit_implied', 'retransmitted'),
  ('retransmit_unknown', 'retransmitted'), ('nak_seq', 'NAK'),
  ('nak_fatal', 'NAK'), ('rnr_nak', 'NAK'), ('implied_nak', 'NAK')),
space(size) AS (
  SELECT CASE WHEN transport LIKE 'UET%' THEN 1 << 32 ELSE 1 << 24 END
    FROM flow WHERE id = :flow),
-- a stretch of data knows how many PSNs it has; which ones, the messages that
-- begin with it say
begun AS MATERIALIZED (
  SELECT first_ns, min(id) AS id, psn_first FROM message
   WHERE flow_id = :flow AND psn_first IS NOT NULL
   GROUP BY first_ns),
stretch AS (
  SELECT u.first_ns, u.last_ns, u.psns, g.psn_first AS named,
         sum(u.psns) OVER sofar - u.psns AS before,
         count(g.psn_first) OVER sofar AS part
    FROM burst u /*scan*/ LEFT JOIN begun g ON g.first_ns = u.first_ns
   WHERE u.flow_id = :flow AND u.psns > 0
  WINDOW sofar AS (ORDER BY u.first_ns)),
placed AS (
  SELECT s.*, first_value(named - before)
                OVER (PARTITION BY max(part, 1)
                      ORDER BY named IS NULL, first_ns) + before AS psn
    FROM stretch s),
found AS (
  SELECT p.first_ns AS ns, p.last_ns AS end_ns, p.psn % s.size AS psn,
         (p.psn + p.psns - 1) % s.size AS last_psn, 'sent' AS kind,
         NULL AS count, NULL AS frame, NULL AS tap_id, 0 AS place
    FROM placed p, space s
   WHERE p.psn >= 0
     AND (:from IS NULL OR p.last_ns >= :from)
     AND (:to IS NULL OR p.first_ns <= :to)
  UNION ALL
  SELECT m.first_ns, m.last_ns, m.psn_first, m.psn_last, 'sent', NULL, NULL,
         NULL, m.id
    FROM message m
   WHERE m.flow_id = :flow AND m.psn_first IS NOT NULL
     AND (:from IS NULL OR m.last_ns >= :from)
     AND (:to IS NULL OR m.first_ns <= :to)
  UNION ALL
  SELECT e.ns, NULL, e.psn, NULL, k.kind, e.count, e.frame, e.tap_id, e.id
    FROM event e
    JOIN kinds k ON k.event = e.kind
   WHERE e.flow_id = :flow AND e.psn IS NOT NULL
     AND (:from IS NULL OR e.ns >= :from) AND (:to IS NULL OR e.ns <= :to)
  UNION ALL
  SELECT t.ns, NULL, t.psn, NULL, 'trimmed', t.count, t.frame, t.tap_id,
         t.frame
    FROM trim_events t
   WHERE t.flow_id = :flow AND t.psn IS NOT NULL
     AND (:from IS NULL OR t.ns >= :from) AND (:to IS NULL OR t.ns <= :to)
   ORDER BY 1, 9),
steps AS (
  SELECT f.*, s.size,
         f.psn - lag(f.psn) OVER (ORDER BY f.ns, f.place) AS step
    FROM found f, space s),
counted AS (
  SELECT c.*,
         sum(ifnull((c.step % size + size + size / 2) % size - size / 2, 0))
           OVER (ORDER BY c.ns, c.place ROWS UNBOUNDED PRECEDING) AS number,
         row_number() OVER (ORDER BY c.ns, c.place) AS nth,
         count(*) OVER () AS n
    FROM steps c)
SELECT ns, end_ns, number,
       number + (last_psn - psn + size) % size AS end_number, kind, psn, count,
       frame, tap_id,
       CASE WHEN NOT EXISTS (SELECT 1 FROM placed WHERE psn >= 0)
                 OR EXISTS (SELECT 1 FROM row_limit WHERE table_name = 'burst')
            THEN (SELECT messages FROM flow WHERE id = :flow) END AS messages
  FROM counted
 WHERE nth = 1 OR nth = n OR nth % ((n - 1) / :limit + 1) = 0
 UNION ALL
SELECT c.ns, NULL, NULL, NULL, 'CNP', NULL, NULL, c.frame, c.tap_id, NULL
  FROM cnp c
 WHERE c.flow_id = :flow
   AND (:from IS NULL OR c.ns >= :from) AND (:to IS NULL OR c.ns <= :to)
 UNION ALL
SELECT b.start_ns, b.start_ns + b.width_ns, NULL, NULL, k.kind, NULL,
       iif(k.kind = 'CE', b.ce, b.packets), NULL, b.tap_id, NULL
  FROM bin b, (SELECT 'CE' AS kind UNION ALL SELECT 'data') k
 WHERE b.scope = 'flow' AND b.scope_id = :flow
   AND iif(k.kind = 'CE', b.ce, b.packets) > 0
   AND (:from IS NULL OR b.start_ns + b.width_ns >= :from)
   AND (:to IS NULL OR b.start_ns <= :to)
 ORDER BY ns, number

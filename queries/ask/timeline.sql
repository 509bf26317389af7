-- How many packets, losses, marks and pauses were there, in equal steps of time?
-- Every step has a row, also one without packets.  What was counted
-- over a longer stretch than a step is shared out evenly.  Of a live analysis,
-- what is older than the fine steps comes from its history.  Of many flows, those
-- of few packets have no steps: NULL; what data they sent is known all the same,
-- from its stretches, as far as there was room for these.  Of all taps together,
-- load is added up; losses, NAKs and retransmissions of a flow at several taps are
-- those of the tap that saw most.
--
-- param scope text tap  tap or flow
-- param id id NULL  tap.id or flow.id; NULL: all taps together
-- param from time NULL  begin; NULL: of the captures
-- param to time NULL  end; NULL: of the captures
-- param steps count 60  how many
-- column step count  from 0
-- column start_ns time  begin of the step
-- column width_ns duration  its length
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column rate_bps rate  bytes over time
-- column goodput_bps rate  of a flow: payload, each byte counted once, by time
-- column ce count  packets marked ECN CE
-- column cnp count  congestion notifications
-- column retransmitted count  retransmitted
-- column lost count  losses noticed then, at least
-- column naks count  NAKs, those of receivers that are not ready too
-- column paused_ns duration  of taps: pauses, summed over priorities and both
-- column findings count  findings that begin then
-- column gravity word  highest severity of these
-- column trimmed count  packets trimmed (Ultra Ethernet)
--
-- uses trim-events
-- uses events-dedup
-- example fabscope query DB timeline --param steps=20
WITH RECURSIVE edges(first, last) AS (
  SELECT ifnull((SELECT min(h.start_ns) FROM history h /*scan*/
                  WHERE h.start_ns + h.width_ns <= min(c.first_ns)),
                min(c.first_ns)), max(c.last_ns)
    FROM capture c WHERE c.packets > 0),
fine(since) AS (
  SELECT ifnull(min(start_ns), 9223372036854775807) FROM bin
   WHERE scope = 'tap'),
ends(a, z, n) AS (
  SELECT ifnull(:from, first), ifnull(:to, last), min(max(:steps, 1), 10000)
    FROM edges),
span(a, z, n, w) AS (
  SELECT a, z, n, max(1, (z - a) / n + 1) FROM ends WHERE z >= a),
counted_elsewhere AS MATERIALIZED (
  SELECT flow_id, kind FROM events_dedup WHERE :id IS NULL),
step(k) AS (
  SELECT 0 FROM span
  UNION ALL SELECT k + 1 FROM step, span WHERE k + 1 < n),
load AS (
  SELECT max(b.start_ns, e.first) AS b0,
         min(b.start_ns + b.width_ns, e.last + 1) AS b1,
         b.scope = :scope AS load, b.packets, b.bytes, b.ce, b.cnp,
         NULL AS retransmitted,
         CASE WHEN b.scope = 'priority' THEN b.paused_ns END AS paused_ns
    FROM edges e, bin b /*scan*/
   WHERE b.scope = :scope AND (:id IS NULL OR b.scope_id = :id)
      OR :scope = 'tap' AND b.scope = 'priority'
         AND (:id IS NULL OR b.tap_id = :id)
  UNION ALL
  SELECT h.start_ns, min(h.start_ns + h.width_ns, f.since),
         h.scope = :scope, h.part * h.packets, h.part * h.bytes,
         h.part * h.ce, h.part * h.cnp, h.part * h.retransmitted,
         CASE WHEN h.scope = 'priority' THEN h.part * h.paused_ns END
    FROM fine f,
         (SELECT *, 1.0 * (min(start_ns + width_ns, (SELECT since FROM fine))
                           - start_ns) / width_ns AS part
            FROM history /*scan*/) h
   WHERE h.start_ns < f.since AND h.scope IN (:scope, 'priority')
     AND :scope = 'tap'
     AND (:id IS NULL OR h.tap_id = :id)),
-- of a flow: from when on there are steps; until when stretches of data are all
-- here (where the newest are kept, only those of flows of which none is missing)
life(first_ns, since, until) AS MATERIALIZED (
  SELECT w.first_ns,
         (SELECT min(start_ns) FROM bin
           WHERE scope = 'flow' AND scope_id = w.id),
         CASE WHEN (SELECT ifnull(sum(bytes), 0) FROM burst /*scan*/
                     WHERE flow_id = w.id) = w.goodput_bytes
              THEN 9223372036854775807
              WHEN NOT EXISTS (SELECT 1 FROM live_status /*scan*/)
              THEN (SELECT max(last_ns) FROM burst /*scan*/) END
    FROM flow w WHERE :scope = 'flow' AND w.id = :id),
sent AS (
  SELECT t.k, sum(1.0 * (min(b.last_ns, s.z, s.a + (t.k + 1) * s.w - 1)
                         - max(b.first_ns, s.a + t.k * s.w) + 1)
                  / (b.last_ns - b.first_ns + 1) * b.bytes) AS bytes
    FROM burst b /*scan*/ CROSS JOIN span s CROSS JOIN step t
   WHERE :scope = 'flow' AND b.flow_id = :id
     AND b.first_ns <= s.z AND b.last_ns >= s.a
     AND t.k BETWEEN (max(b.first_ns, s.a) - s.a) / s.w
                 AND (min(b.last_ns, s.z) - s.a) / s.w
   GROUP BY t.k),
piece AS (
  SELECT (max(l.b0, s.a) - s.a) / s.w AS k0,
         (min(l.b1 - 1, s.z) - s.a) / s.w AS k1,
         l.b0 >= s.a AND l.b1 <= s.z + 1 AS inside, l.*
    FROM span s, load l
   WHERE l.b0 < l.b1 AND l.b0 <= s.z AND l.b1 > s.a),
share AS (
  SELECT k0 AS k, 1.0 AS part, * FROM piece WHERE k0 = k1 AND inside
  UNION ALL
  SELECT t.k, 1.0 * (min(p.b1, s.z + 1, s.a + (t.k + 1) * s.w)
                     - max(p.b0, s.a + t.k * s.w)) / (p.b1 - p.b0), p.*
    FROM piece p, span s, step t
   WHERE NOT (p.k0 = p.k1 AND p.inside)
     AND t.k BETWEEN p.k0 AND p.k1),
sums AS (
  SELECT k, sum(part * packets * load) AS packets,
         sum(part * bytes * load) AS bytes, sum(part * ce * load) AS ce,
         sum(part * cnp * load) AS cnp,
         sum(part * retransmitted * load) AS retransmitted,
         sum(part * paused_ns) AS paused_ns
    FROM share GROUP BY k),
occurrence AS (
  SELECT (e.ns - s.a) / s.w AS k,
         sum(e.count * (e.kind LIKE 'loss%')) AS lost,
         sum(e.count * (e.kind LIKE 'retransmit%')) AS retransmitted,
         sum(e.kind IN ('nak_seq', 'nak_fatal', 'rnr_nak', 'implied_nak'))
           AS naks
    FROM span s, event e /*scan*/
   WHERE e.ns BETWEEN s.a AND s.z
     AND e.kind IN ('loss_upstream', 'loss_downstream', 'nak_seq',
                    'nak_fatal', 'rnr_nak', 'implied_nak', 'retransmit_nak',
                    'retransmit_timeout', 'retransmit_rnr',
                    'retransmit_spurious', 'retransmit_implied',
                    'retransmit_unknown')
     AND NOT EXISTS (SELECT 1 FROM counted_elsewhere r
                      WHERE r.flow_id = e.flow_id AND r.kind = e.kind)
     AND (:id IS NULL OR CASE :scope WHEN 'flow' THEN e.flow_id = :id
                                     ELSE e.tap_id = :id END)
   GROUP BY 1),
cut AS (
  SELECT (e.ns - s.a) / s.w AS k, sum(e.count) AS trimmed
    FROM span s, trim_events e
   WHERE e.ns BETWEEN s.a AND s.z
     AND NOT EXISTS (SELECT 1 FROM counted_elsewhere r
                      WHERE r.flow_id = e.flow_id AND r.kind = 'trimmed')
     AND (:id IS NULL OR CASE :scope WHEN 'flow' THEN e.flow_id = :id
                                     ELSE e.tap_id = :id END)
   GROUP BY 1),
found AS (
  SELECT (f.first_ns - s.a) / s.w AS k, count(*) AS findings,
         min(CASE f.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1
                             WHEN 'info' THEN 2 ELSE 3 END) AS rank
    FROM span s,
         (SELECT first_ns, severity, flow_id, tap_id FROM finding
          UNION ALL
          SELECT first_ns, severity, flow_id, tap_id FROM finding_log /*scan*/
           WHERE ended_ns IS NOT NULL) f
   WHERE f.first_ns BETWEEN s.a AND s.z
     AND (:id IS NULL OR CASE :scope WHEN 'flow' THEN f.flow_id = :id
                                     ELSE f.tap_id = :id END)
   GROUP BY 1),
known AS (
  SELECT t.k, s.a + t.k * s.w AS start_ns, s.w AS width_ns,
         CASE WHEN :scope <> 'flow' OR :id IS NULL
                   OR s.a + (t.k + 1) * s.w > l.since
                   OR s.a + (t.k + 1) * s.w <= l.first_ns AND l.since
              THEN 0 END AS none,
         CASE WHEN s.a + (t.k + 1) * s.w - 1 <= l.until
              THEN 0 END AS no_data
    FROM span s, step t LEFT JOIN life l)
SELECT t.k AS step, t.start_ns, t.width_ns,
       CAST(round(ifnull(m.packets, t.none)) AS INTEGER) AS packets,
       CAST(round(ifnull(m.bytes, t.none)) AS INTEGER) AS bytes,
       CAST(round(8e9 * ifnull(m.bytes, t.none) / t.width_ns) AS INTEGER)
         AS rate_bps,
       CAST(round(8e9 * (t.no_data + ifnull(d.bytes, 0)) / t.width_ns)
            AS INTEGER) AS goodput_bps,
       CAST(round(ifnull(m.ce, t.none)) AS INTEGER) AS ce,
       CAST(round(ifnull(m.cnp, t.none)) AS INTEGER) AS cnp,
       ifnull(o.retransmitted, 0)
         + CAST(round(ifnull(m.retransmitted, 0)) AS INTEGER)
         AS retransmitted,
       ifnull(o.lost, 0) AS lost, ifnull(o.naks, 0) AS naks,
       CAST(round(m.paused_ns) AS INTEGER) AS paused_ns,
       ifnull(f.findings, 0) AS findings,
       CASE f.rank WHEN 0 THEN 'critical' WHEN 1 THEN 'warning'
                   WHEN 2 THEN 'info' WHEN 3 THEN 'ok' END AS gravity,
       ifnull(x.trimmed, 0) AS trimmed
  FROM known t
  LEFT JOIN sums m ON m.k = t.k
  LEFT JOIN sent d ON d.k = t.k
  LEFT JOIN occurrence o ON o.k = t.k
  LEFT JOIN cut x ON x.k = t.k
  LEFT JOIN found f ON f.k = t.k
 ORDER BY t.k

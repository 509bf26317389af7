-- Which congestion reports and credits did one context receive, over time?
-- Equal steps; no row at all where nothing is known of it in that time.  What
-- was counted over a longer interval than a step is dealt out evenly, in whole
-- numbers; what is the most of an interval is so in each step that it touches.
--
-- param flow id required  flow.id
-- param from time NULL  begin; NULL: of the captures
-- param to time NULL  end; NULL: of the captures
-- param steps count 60  how many
-- column step count  from 0
-- column start_ns time  begin of the step
-- column width_ns duration  its length
-- column acks count  ACKs with congestion state; NULL here and below: none
-- column marked count  of these, to packets that arrived marked
-- column trimmed count  refusals of packets that arrived trimmed
-- column received_bps rate  what the receiver counted, over the step
-- column service_max_ns duration  longest stay at the receiver
-- column ooo_max count  most packets out of order at the receiver
-- column penalty_max count  largest window penalty, of 127
-- column credit_granted count  credit granted, raw (its unit is UNKNOWN)
-- column credit_wanted count  credit requested by the sender, raw
-- column credit_backlog_max count  most that was requested and not granted, raw
-- column credit_wait_ns duration  it must have waited for credit, as seen here
--
-- example fabscope query DB pdc-timeline --param flow=1 --param steps=20
WITH RECURSIVE
edges(first, last) AS (
  SELECT ifnull((SELECT min(h.start_ns) FROM history h /*scan*/
                  WHERE h.start_ns + h.width_ns <= min(c.first_ns)),
                min(c.first_ns)), max(c.last_ns)
    FROM capture c WHERE c.packets > 0),
ends(a, z, n) AS (
  SELECT ifnull(:from, first), ifnull(:to, last), min(max(:steps, 1), 10000)
    FROM edges),
span(a, z, n, w) AS (
  SELECT a, z, n, max(1, (z - a) / n + 1) FROM ends WHERE z >= a),
step(k) AS (
  SELECT 0 FROM span
  UNION ALL SELECT k + 1 FROM step, span WHERE k + 1 < n),
clipped AS (
  SELECT max(b.start_ns, e.first) AS b0,
         min(b.start_ns + b.width_ns, e.last + 1) AS b1, b.*
    FROM edges e, cc_bin b /*scan*/
   WHERE b.flow_id = :flow),
piece AS (
  SELECT (max(t.b0, s.a) - s.a) / s.w AS k0,
         (min(t.b1 - 1, s.z) - s.a) / s.w AS k1, t.*
    FROM span s, clipped t
   WHERE t.b0 < t.b1 AND t.b0 <= s.z AND t.b1 > s.a),
-- how much of an interval is over when the step begins, and when it ends
part AS (
  SELECT t.k, 1.0 * (max(p.b0, s.a + t.k * s.w) - p.b0) / (p.b1 - p.b0) AS x,
         1.0 * (min(p.b1, s.z + 1, s.a + (t.k + 1) * s.w) - p.b0)
           / (p.b1 - p.b0) AS y, p.*
    FROM piece p, span s, step t
   WHERE t.k BETWEEN p.k0 AND p.k1),
sums AS (
  SELECT k, sum(CAST(y * acks AS INTEGER) - CAST(x * acks AS INTEGER)) AS acks,
         sum(CAST(y * marked AS INTEGER) - CAST(x * marked AS INTEGER))
           AS marked,
         sum(CAST(y * trimmed AS INTEGER) - CAST(x * trimmed AS INTEGER))
           AS trimmed,
         sum((y - x) * received_bytes) AS received,
         max(service_max_ns) AS service_max_ns, max(ooo_max) AS ooo_max,
         max(penalty_max) AS penalty_max,
         sum(CAST(y * credit_granted AS INTEGER)
             - CAST(x * credit_granted AS INTEGER)) AS credit_granted,
         sum(CAST(y * credit_wanted AS INTEGER)
             - CAST(x * credit_wanted AS INTEGER)) AS credit_wanted,
         max(credit_backlog_max) AS credit_backlog_max,
         sum(CAST(y * credit_wait_ns AS INTEGER)
             - CAST(x * credit_wait_ns AS INTEGER)) AS credit_wait_ns
    FROM part GROUP BY k)
SELECT t.k AS step, s.a + t.k * s.w AS start_ns, s.w AS width_ns,
       m.acks, m.marked, m.trimmed,
       CAST(round(8e9 * m.received / s.w) AS INTEGER) AS received_bps,
       m.service_max_ns, m.ooo_max, m.penalty_max, m.credit_granted,
       m.credit_wanted, m.credit_backlog_max, m.credit_wait_ns
  FROM span s, step t
  LEFT JOIN sums m ON m.k = t.k
 WHERE EXISTS (SELECT 1 FROM piece)
 ORDER BY t.k

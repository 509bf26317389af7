-- What did each tap see in a time window?
-- From its steps of load, those at the edges by their part.  What is older than
-- the fine steps of a live analysis comes from its history.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column tap_id id  tap.id
-- column span_ns duration  length of the span
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column ect count  ECN-capable packets (ECT)
-- column ce count  packets marked ECN CE
-- column cnp count  congestion notifications
-- column peak_bps rate  in the fullest step, with preamble, gap and FCS
--
-- example fabscope query DB tap-in-window --param from=1700000000000000000
WITH edges(first, last) AS (
  SELECT min(first_ns), max(last_ns) FROM capture WHERE packets > 0),
span(a, z) AS (
  SELECT ifnull(:from, ifnull((SELECT min(start_ns) FROM history /*scan*/),
                              first)),
         ifnull(:to, last) + 1
    FROM edges),
fine(since) AS (
  SELECT ifnull(min(start_ns), 9223372036854775807) FROM bin WHERE scope = 'tap'),
load AS (
  SELECT b.scope_id AS tap_id, max(b.start_ns, e.first) AS b0,
         min(b.start_ns + b.width_ns, e.last + 1) AS b1,
         b.width_ns, b.packets, b.bytes, b.ect, b.ce, b.cnp
    FROM edges e, bin b /*scan*/
   WHERE b.scope = 'tap'
  UNION ALL
  SELECT h.tap_id, h.start_ns, h.start_ns + h.width_ns, h.width_ns, h.packets,
         h.bytes, h.ect, h.ce, h.cnp
    FROM fine f, history h /*scan*/
   WHERE h.scope = 'tap' AND h.start_ns + h.width_ns <= f.since),
part AS (
  SELECT l.*, 1.0 * (min(b1, s.z) - max(b0, s.a)) / (b1 - b0) AS part
    FROM span s, load l
   WHERE b0 < b1 AND b0 < s.z AND b1 > s.a)
SELECT t.id AS tap_id, s.z - s.a AS span_ns,
       CAST(round(ifnull(sum(part * p.packets), 0)) AS INTEGER) AS packets,
       CAST(round(ifnull(sum(part * p.bytes), 0)) AS INTEGER) AS bytes,
       CAST(round(ifnull(sum(part * p.ect), 0)) AS INTEGER) AS ect,
       CAST(round(ifnull(sum(part * p.ce), 0)) AS INTEGER) AS ce,
       CAST(round(ifnull(sum(part * p.cnp), 0)) AS INTEGER) AS cnp,
       ifnull(max(8e9 * (p.bytes + 24 * p.packets) / p.width_ns), 0)
         AS peak_bps
  FROM span s, tap t /*scan*/
  LEFT JOIN part p ON p.tap_id = t.id
 GROUP BY t.id
 ORDER BY t.id

-- How many packets and bytes were there over time?
-- Only intervals with packets are listed.
--
-- param scope text tap  tap, flow or priority
-- param id id 1  tap.id, flow.id or the priority
-- param tap id NULL  of a priority: only at this tap
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 10000  maximum number of rows
-- column start_ns time  begin of the interval
-- column width_ns duration  its length
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column rate_bps rate  bytes over time
-- column load share  of the link speed, where that is known
-- column ce count  packets marked ECN CE
-- column cnp count  congestion notifications
-- column retransmitted count  retransmitted
-- column paused_ns duration  of a priority: time paused, both directions
--
-- example fabscope query DB load --param scope=tap --param id=1
SELECT b.start_ns, b.width_ns, b.packets, b.bytes,
       CAST(8e9 * b.bytes / nullif(b.width_ns, 0) AS INTEGER) AS rate_bps,
       8e9 * b.bytes / nullif(b.width_ns, 0)
         / CASE b.scope WHEN 'tap' THEN t.speed_bps END AS load,
       b.ce, b.cnp, b.retransmitted, b.paused_ns
  FROM bin b
  LEFT JOIN tap t ON t.id = b.scope_id
 WHERE b.scope = :scope AND b.scope_id = :id
   AND (:tap IS NULL OR b.tap_id = :tap)
   AND (:from IS NULL OR b.start_ns + b.width_ns > :from)
   AND (:to IS NULL OR b.start_ns <= :to)
 ORDER BY b.start_ns
 LIMIT :limit

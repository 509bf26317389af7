-- What did each of several parallel links carry?
-- In a time window: all packets seen at the capture point in its steps, those at the edges by
-- their part; nothing is known of it where a tap shows both directions.  What is
-- older than the fine steps of a live analysis comes from its history.
--
-- param group id NULL  only the links of this group (link_group.id)
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column group_id id  link_group.id
-- column link text  the link
-- column tap text  where it was captured; NULL nowhere
-- column speed_bps rate  its speed
-- column flows count  flows that used it
-- column packets count  packets
-- column bytes bytes  bytes
-- column share share  of the bytes of the group that were captured
-- column utilization share  of the link
-- column peak share  in the fullest window
-- column ect count  ECN-capable packets (ECT)
-- column ce count  packets marked ECN CE
--
-- uses tap-in-window
-- example fabscope query DB links
WITH span(a, z) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62)
   WHERE :from IS NOT NULL OR :to IS NOT NULL),
then_there AS (
  SELECT m.group_id, m.member, m.tap_id,
         (SELECT count(*) FROM flow_tap f
           WHERE f.tap_id = m.tap_id AND f.last_ns >= s.a AND f.first_ns <= s.z)
           AS flows,
         iif(t.both_ways, NULL, p.packets) AS packets,
         iif(t.both_ways, NULL, p.bytes) AS bytes,
         iif(t.both_ways, NULL, p.ect) AS ect,
         iif(t.both_ways, NULL, p.ce) AS ce, p.span_ns AS ns, p.peak_bps,
         t.speed_bps
    FROM span s
    JOIN balance_member m
    JOIN tap t ON t.id = m.tap_id
    JOIN tap_in_window p ON p.tap_id = m.tap_id),
link AS (
  SELECT group_id, member, tap_id, flows, packets, bytes, share, utilization,
         utilization_peak AS peak, ect, ce
    FROM balance_member
   WHERE :from IS NULL AND :to IS NULL OR tap_id IS NULL
  UNION ALL
  SELECT group_id, member, tap_id, flows, packets, bytes,
         1.0 * bytes / nullif(sum(bytes) OVER (PARTITION BY group_id), 0),
         8e9 * (bytes + 24 * packets) / speed_bps / ns,
         iif(bytes IS NOT NULL, peak_bps / speed_bps, NULL), ect, ce
    FROM then_there)
SELECT m.group_id, m.member AS link, t.name AS tap, t.speed_bps, m.flows,
       m.packets, m.bytes, m.share, m.utilization, m.peak, m.ect, m.ce
  FROM link m
  LEFT JOIN tap t ON t.id = m.tap_id
 WHERE :group IS NULL OR m.group_id = :group
 ORDER BY m.group_id, m.bytes DESC, m.member

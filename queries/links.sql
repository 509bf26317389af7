-- What did each of several parallel links carry?
-- Of a span of time, all that passed the tap in its steps, those at the edges by
-- their part; nothing is known of it where a tap shows both directions.  What is
-- older than the fine steps of a live analysis comes from its history.
--
-- param group id NULL  only the links of this group (link_group.id)
-- param from time NULL  begin of a span; NULL: of the captures
-- param to time NULL  its end; NULL: of the captures
-- column group_id id  link_group.id
-- column link text  the link
-- column tap text  where it was captured; NULL nowhere
-- column speed_bps rate  its speed
-- column flows count  flows that used it
-- column packets count  packets
-- column bytes bytes  octets
-- column share share  of the octets of the group that were captured
-- column utilisation share  of the link
-- column peak share  in the fullest window
-- column ect count  packets that may be marked
-- column ce count  marked packets
--
-- example fabscope query DB links
WITH edges(first, last) AS (
  SELECT min(first_ns), max(last_ns) FROM capture WHERE packets > 0),
span(a, z) AS (
  SELECT ifnull(:from, ifnull((SELECT min(start_ns) FROM history /*scan*/),
                              first)),
         ifnull(:to, last) + 1
    FROM edges WHERE :from IS NOT NULL OR :to IS NOT NULL),
fine(since) AS (
  SELECT ifnull(min(start_ns), (1 << 63) - 1) FROM bin WHERE scope = 'tap'),
load AS (
  SELECT b.scope_id AS tap_id, max(b.start_ns, e.first) AS b0,
         min(b.start_ns + b.width_ns, e.last + 1) AS b1,
         b.width_ns, b.packets, b.bytes, b.ect, b.ce
    FROM edges e, bin b /*scan*/
   WHERE b.scope = 'tap'
  UNION ALL
  SELECT h.tap_id, h.start_ns, h.start_ns + h.width_ns, h.width_ns, h.packets,
         h.bytes, h.ect, h.ce
    FROM fine f, history h /*scan*/
   WHERE h.scope = 'tap' AND h.start_ns + h.width_ns <= f.since),
part AS (
  SELECT l.*, 1.0 * (min(b1, s.z) - max(b0, s.a)) / (b1 - b0) AS part
    FROM span s, load l
   WHERE b0 < b1 AND b0 < s.z AND b1 > s.a),
passed AS (
  SELECT tap_id, sum(part * packets) AS packets, sum(part * bytes) AS bytes,
         sum(part * ect) AS ect, sum(part * ce) AS ce,
         max(8e9 * (bytes + 24 * packets) / width_ns) AS peak_bps
    FROM part GROUP BY tap_id),
then_there AS (
  SELECT m.group_id, m.member, m.tap_id,
         CASE WHEN m.tap_id IS NOT NULL
              THEN (SELECT count(*) FROM flow_tap f
                     WHERE f.tap_id = m.tap_id AND f.last_ns >= s.a
                       AND f.first_ns < s.z) END AS flows,
         CASE WHEN t.both_ways THEN NULL ELSE ifnull(p.packets, 0) END
           AS packets,
         CASE WHEN t.both_ways THEN NULL ELSE ifnull(p.bytes, 0) END AS bytes,
         CASE WHEN t.both_ways THEN NULL ELSE ifnull(p.ect, 0) END AS ect,
         CASE WHEN t.both_ways THEN NULL ELSE ifnull(p.ce, 0) END AS ce,
         s.z - s.a AS ns, p.peak_bps, t.speed_bps
    FROM span s
    JOIN balance_member m
    JOIN tap t ON t.id = m.tap_id
    LEFT JOIN passed p ON p.tap_id = m.tap_id),
link AS (
  SELECT group_id, member, tap_id, flows, packets, bytes, share, utilisation,
         utilisation_peak AS peak, ect, ce
    FROM balance_member
   WHERE :from IS NULL AND :to IS NULL OR tap_id IS NULL
  UNION ALL
  SELECT group_id, member, tap_id, flows, CAST(round(packets) AS INTEGER),
         CAST(round(bytes) AS INTEGER),
         bytes / nullif(sum(bytes) OVER (PARTITION BY group_id), 0),
         8e9 * (bytes + 24 * packets) / speed_bps / ns,
         CASE WHEN bytes IS NOT NULL THEN ifnull(peak_bps, 0) / speed_bps END,
         CAST(round(ect) AS INTEGER), CAST(round(ce) AS INTEGER)
    FROM then_there)
SELECT m.group_id, m.member AS link, t.name AS tap, t.speed_bps, m.flows,
       m.packets, m.bytes, m.share, m.utilisation, m.peak, m.ect, m.ce
  FROM link m
  LEFT JOIN tap t ON t.id = m.tap_id
 WHERE :group IS NULL OR m.group_id = :group
 ORDER BY m.group_id, m.bytes DESC, m.member

-- How do entropy values, hence paths, differ between two hosts?
-- Ultra Ethernet only.  Directions that carry answers have rows as well.  What
-- several capture points saw counts once, where it shows most.  What only
-- answers tell is NULL where none is here, or none that can be read.
--
-- param src text NULL  only this sender
-- param dst text NULL  only this receiver
-- param flow id NULL  only the direction of this flow
-- param limit count 1000  maximum number of rows
-- column src text  sender
-- column dst text  receiver
-- column ev hex16  entropy value
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column share share  of the packets between these hosts
-- column ce count  marked ECN CE at this capture point
-- column marked count  marked when they arrived
-- column trimmed count  trimmed upstream or downstream of this capture point
-- column retransmitted count  retransmissions with this value
-- column lost count  lost downstream of this capture point
-- column bad_share share  marked, trimmed or lost, of the packets
--
-- example fabscope query DB entropy --param limit=10
WITH here AS (
  SELECT e.src, e.dst, e.ev, sum(e.packets) AS packets, sum(e.bytes) AS bytes,
         sum(e.ce) AS ce, sum(e.marked) AS marked, sum(e.trimmed) AS trimmed,
         sum(e.retransmitted) AS retransmitted, sum(e.lost) AS lost
    FROM entropy e /*scan*/
    JOIN tap t ON t.id = e.tap_id
    LEFT JOIN flow f ON f.id = :flow
   WHERE (:src IS NULL OR e.src = :src)
     AND (:dst IS NULL OR e.dst = :dst)
     AND (:flow IS NULL OR e.src = f.src AND e.dst = f.dst)
   GROUP BY e.src, e.dst, e.ev, t.place),
one AS (
  SELECT src, dst, ev, max(packets) AS packets, max(bytes) AS bytes,
         max(ce) AS ce, max(marked) AS marked, max(trimmed) AS trimmed,
         max(retransmitted) AS retransmitted, max(lost) AS lost
    FROM here
   GROUP BY src, dst, ev),
way AS MATERIALIZED (
  SELECT src, dst, max(visibility = 'both') AS answered,
         max(transport <> 'UET-TSS') AS readable
    FROM flow /*scan*/
   WHERE transport LIKE 'UET-%'
   GROUP BY src, dst)
SELECT o.src, o.dst, o.ev, o.packets, o.bytes,
       1.0 * o.packets / sum(o.packets) OVER (PARTITION BY o.src, o.dst)
         AS share,
       o.ce, iif(w.answered, o.marked, NULL) AS marked,
       iif(w.answered OR o.trimmed, o.trimmed, NULL) AS trimmed,
       iif(w.readable, o.retransmitted, NULL) AS retransmitted,
       iif(w.answered, o.lost, NULL) AS lost,
       iif(w.answered, 1.0 * (o.marked + o.trimmed + o.lost) / o.packets, NULL)
         AS bad_share
  FROM one o
  LEFT JOIN way w ON w.src = o.src AND w.dst = o.dst
 ORDER BY bad_share DESC, o.packets DESC, o.src, o.dst, o.ev
 LIMIT :limit

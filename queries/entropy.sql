-- How do entropy values, hence paths, differ between two hosts?
-- Ultra Ethernet only.  Directions that carry answers have rows as well.
--
-- param src text NULL  only this sender
-- param dst text NULL  only this receiver
-- param limit count 1000  at most so many
-- column src text  sender
-- column dst text  receiver
-- column ev hex  entropy value
-- column packets count  packets
-- column bytes bytes  octets on the wire
-- column share share  of the packets between these hosts
-- column ce count  marked when they passed here
-- column marked count  marked when they arrived
-- column trimmed count  trimmed before or behind this point
-- column resent count  copies sent this way
-- column lost count  lost behind this point
-- column bad_share share  marked, trimmed or lost, of the packets
--
-- example fabscope query DB entropy --param limit=10
SELECT src, dst, ev, sum(packets) AS packets, sum(bytes) AS bytes,
       1.0 * sum(packets)
         / sum(sum(packets)) OVER (PARTITION BY src, dst) AS share,
       sum(ce) AS ce, sum(marked) AS marked, sum(trimmed) AS trimmed,
       sum(resent) AS resent, sum(lost) AS lost,
       1.0 * sum(marked + trimmed + lost) / sum(packets) AS bad_share
  FROM entropy /*scan*/
 WHERE (:src IS NULL OR src = :src)
   AND (:dst IS NULL OR dst = :dst)
 GROUP BY src, dst, ev
 ORDER BY bad_share DESC, packets DESC, src, dst, ev
 LIMIT :limit

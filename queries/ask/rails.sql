-- How much traffic stays on its rail, and how much crosses?
-- Needs a topology file that gives hosts a rail.
--
-- column src_rail count  rail of the sender; NULL not known
-- column dst_rail count  rail of the receiver
-- column kind word  intra, inter; NULL not known
-- column flows count  flows, one direction of a queue pair each
-- column bytes bytes  bytes on the wire
-- column share share  of all bytes
-- column ce count  packets marked ECN CE
-- column lost count  lost, at least
-- column retransmitted count  packets retransmitted
--
-- example fabscope query DB rails
SELECT s.rail AS src_rail, d.rail AS dst_rail,
       CASE WHEN s.rail = d.rail THEN 'intra'
            WHEN s.rail <> d.rail THEN 'inter' END AS kind,
       count(*) AS flows, sum(f.bytes) AS bytes,
       1.0 * sum(f.bytes) / sum(sum(f.bytes)) OVER () AS share,
       sum(f.ce) AS ce,
       sum(f.lost_upstream + f.lost_downstream_min) AS lost,
       sum(f.retransmitted) AS retransmitted
  FROM flow f /*scan*/
  LEFT JOIN node_address sa ON sa.address = f.src
  LEFT JOIN node s ON s.name = sa.node
  LEFT JOIN node_address da ON da.address = f.dst
  LEFT JOIN node d ON d.name = da.node
 WHERE (SELECT count(rail) FROM node) > 0
 GROUP BY s.rail, d.rail
 ORDER BY s.rail, d.rail

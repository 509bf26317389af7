-- Which flows had the same transmission arrive twice?
-- The same packet, not one that was retransmitted: a copy made by the network, or
-- by a mirror in a way that mirror duplicates are not known by.  Where the
-- mirror doubles anyway, a copy that was not recognized as its is its all the
-- same.
--
-- into temp.occurrence
-- needs event
SELECT 'duplicated' AS kind, e.flow_id, e.tap_id, e.psn, f.src, f.dst,
       e.count AS occurrences, e.ns AS first_ns, e.ns AS last_ns, e.frame,
       e.id AS event_id, e.confidence
  FROM event e
  JOIN tap t ON t.id = e.tap_id
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind = 'duplicate'
   AND 10 * ifnull(t.mirror_duplicates, 0) < t.packets

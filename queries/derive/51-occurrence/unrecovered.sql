-- Which flows lost packets that were not retransmitted before the capture ended?
-- Lost answers of a READ are repaired by the other direction.
--
-- into temp.occurrence
SELECT 'unrecovered' AS kind, f.id AS flow_id, f.tap_id, f.src, f.dst,
       coalesce(f.lost_upstream + f.lost_downstream_min, f.lost_upstream,
                f.lost_downstream_min) AS occurrences,
       coalesce(f.lost_upstream + f.lost_downstream_min, f.lost_upstream,
                f.lost_downstream_min) AS lost_min,
       coalesce(f.lost_upstream + f.lost_downstream_max, f.lost_upstream,
                f.lost_downstream_max) AS lost_max,
       ifnull(e.ns, f.first_ns) AS first_ns, f.last_ns,
       e.frame, e.id AS event_id, e.confidence
  FROM flow f
  LEFT JOIN event e ON e.id =
       (SELECT id FROM event
         WHERE flow_id = f.id AND kind IN ('loss_upstream', 'loss_downstream')
         ORDER BY ns LIMIT 1)
 WHERE f.impaired = 1
   AND (f.lost_upstream > 0 OR f.lost_downstream_min > 0)
   AND NOT f.spray_suspect
   AND NOT EXISTS (SELECT 1 FROM recovery
                    WHERE flow_id IN (f.id, f.peer_flow_id)
                      AND cause <> 'collateral')
   AND NOT EXISTS (SELECT 1 FROM row_limit WHERE table_name = 'recovery')

-- Whose adapter reordered what its link had in order.
--
-- What passed the link of its receiver in order no fabric reorders any more: that
-- did its adapter.  A loss there may be the cable's, unless that adapter is known
-- to reorder and all that is known is that either happened.  Pauses of a
-- host pass no switch: what sees them is its link.
CREATE TEMP TABLE at_link AS
SELECT f.id, f.dst FROM (SELECT DISTINCT flow_id FROM recovery /*scan*/) r
  JOIN flow f ON f.id = r.flow_id
 WHERE EXISTS (SELECT 1 FROM temp.phase_link l
                WHERE l.tap_id = f.tap_id AND l.address = f.dst)
   AND (NOT EXISTS (SELECT 1 FROM temp.phase_link l
                     WHERE l.tap_id = f.tap_id AND l.address = f.src)
        OR (f.tap_id, f.dst) IN (SELECT tap_id, host
                                   FROM pause_sender /*scan*/
                                  WHERE role = 'host'));
CREATE TEMP TABLE reorders AS
SELECT l.dst FROM temp.at_link l /*scan*/
  JOIN recovery r ON r.flow_id = l.id
 WHERE r.cause = 'reorder' AND r.rule LIKE 'R26%'
UNION
SELECT l.dst FROM temp.at_link l /*scan*/
 CROSS JOIN event e ON e.flow_id = l.id
 WHERE e.kind = 'reorder' AND e.detail LIKE 'R26%';
CREATE TEMP TABLE by_adapter AS
SELECT r.flow_id, r.first_ns, r.retransmit_ns
  FROM temp.at_link l /*scan*/
  JOIN recovery r ON r.flow_id = l.id
 WHERE l.dst IN temp.reorders
   AND (r.cause = 'reorder' AND r.rule LIKE 'R26%'
        OR r.cause = 'loss_or_reorder');
UPDATE temp.attribution
   SET part = 'adapter'
 WHERE class = 'recovery' AND part IN ('reorder', 'either')
   AND (flow_id, first_ns) IN
       (SELECT flow_id, first_ns FROM temp.by_adapter
         UNION ALL SELECT flow_id, retransmit_ns FROM temp.by_adapter);
DROP TABLE temp.at_link;
DROP TABLE temp.reorders;
DROP TABLE temp.by_adapter;

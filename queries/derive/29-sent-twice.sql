-- Packets that came twice: by their sender, or by the network?
-- The same bytes soon after each other look like a duplicate that the network or
-- a mirror made.  Where a capture point nearer to the sender knows that they
-- were retransmitted, they are none at those downstream of it: as many as it
-- saw.
-- needs event
CREATE TEMP TABLE sent_twice AS
WITH RECURSIVE
came AS MATERIALIZED (
  SELECT e.id, e.flow_id, w.tap_path_id, w.hop, e.psn,
         row_number() OVER (PARTITION BY e.flow_id, e.psn ORDER BY e.ns, e.id)
           AS nth
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM event WHERE kind = 'duplicate'))
   CROSS JOIN event e /*scan*/
    JOIN tap_path w ON w.flow_id = e.flow_id
   WHERE e.kind = 'duplicate' AND w.hop > 1),
known AS MATERIALIZED (
  SELECT w.tap_path_id, w.hop, e.psn, e.count
    FROM (SELECT DISTINCT tap_path_id FROM came) c
   CROSS JOIN tap_path w ON w.tap_path_id = c.tap_path_id
   CROSS JOIN event e ON e.flow_id = w.flow_id
   WHERE e.kind IN ('retransmit_nak', 'retransmit_timeout', 'retransmit_rnr',
                    'retransmit_implied', 'retransmit_unknown')),
each(tap_path_id, hop, psn, left) AS (
  SELECT tap_path_id, hop, psn, count - 1 FROM known
   UNION ALL
  SELECT tap_path_id, hop, (psn + 1) & 0xffffff, left - 1
    FROM each WHERE left > 0),
sent AS MATERIALIZED (
  SELECT tap_path_id, psn, min(hop) AS hop, count(*) AS times
    FROM each GROUP BY tap_path_id, psn)
SELECT c.id, c.flow_id
  FROM came c
  JOIN sent s ON s.tap_path_id = c.tap_path_id AND s.psn = c.psn
 WHERE c.hop > s.hop AND c.nth <= s.times;
UPDATE flow SET duplicates = duplicates - n.times
  FROM (SELECT flow_id, count(*) AS times
          FROM temp.sent_twice GROUP BY flow_id) n
 WHERE n.flow_id = flow.id;
DELETE FROM event WHERE id IN (SELECT id FROM temp.sent_twice);
DROP TABLE temp.sent_twice;

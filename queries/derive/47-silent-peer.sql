-- Who tries again and again, and whose receiver then sends nothing to anybody any
-- more: that host, its link or the way to it failed, and packets do not tell which.
-- needs ending
WITH heard AS MATERIALIZED (
  SELECT src, max(last_ns) AS ns FROM flow /*scan*/
   WHERE EXISTS (SELECT 1 FROM ending)
   GROUP BY src),
silent AS MATERIALIZED (
  SELECT ifnull(m.near, e.flow_id) AS flow_id
    FROM ending e /*scan*/
    JOIN flow f ON f.id = e.flow_id
    JOIN heard h ON h.src = f.dst
    LEFT JOIN temp.phase_flow_same m ON m.flow_id = e.flow_id
   WHERE e.tries >= 3 AND h.ns < e.first_ns)
UPDATE phase_share
   SET class = 'unknown', side = 'unknown', measured = 'silence of the receiver'
 WHERE class = 'loss' AND measured = 'timeouts'
   AND flow_id IN (SELECT flow_id FROM silent);

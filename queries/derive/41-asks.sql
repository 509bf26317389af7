-- Flows that ask for the messages of such that wait for it (CTS), and for
-- which.
CREATE TEMP TABLE phase_flow_asks AS
SELECT f.peer_flow_id AS flow_id, i.near
  FROM (SELECT count(DISTINCT place) AS places FROM tap HAVING places > 1)
 CROSS JOIN phase_flow_same m
 CROSS JOIN phase_flow_in i ON i.near = m.near
 CROSS JOIN flow_brief f ON f.id = m.flow_id
 WHERE i.driven AND f.peer_flow_id IS NOT NULL
UNION ALL
SELECT peer, near
  FROM (SELECT count(DISTINCT place) AS places FROM tap HAVING places <= 1)
 CROSS JOIN phase_flow_in
 WHERE driven AND peer IS NOT NULL
UNION
SELECT c.flow_id, m.near
  FROM phase_flow_cts c
 CROSS JOIN phase_flow_same m ON m.flow_id = c.of;

DROP VIEW temp.phase_flow_places;
DROP VIEW temp.phase_flow_seen;
DROP TABLE temp.phase_flow_twice;
DROP TABLE temp.phase_flow_small;

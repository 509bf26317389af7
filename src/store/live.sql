-- A refresh of a database that live writes: what it forgets before, and what it
-- remembers behind.  Sections are separated by lines "-- @name".
--
-- @create
CREATE INDEX IF NOT EXISTS flow_open ON flow(id) WHERE open = 1;
CREATE INDEX IF NOT EXISTS live_status_by_time ON live_status(ns);
-- @begin
-- What was only true had the capture ended there.  (Rows behind the marks go
-- with live.c; what live.c does not call a fact is derived, and goes whole.)
DELETE FROM congestion WHERE flow_id IN (SELECT id FROM flow WHERE open = 1);
DELETE FROM pdc WHERE flow_id IN (SELECT id FROM flow WHERE open = 1);
DELETE FROM nack WHERE flow_id IN (SELECT id FROM flow WHERE open = 1);
DELETE FROM srv6_path WHERE flow_id IN (SELECT id FROM flow WHERE open = 1);
DELETE FROM mrc WHERE flow_id IN (SELECT id FROM flow WHERE open = 1);
DELETE FROM link_change WHERE flow_id IN (SELECT id FROM flow WHERE open = 1);
DELETE FROM flow_tap WHERE flow_id NOT IN (SELECT flow_id FROM link_change);
DELETE FROM flow WHERE open = 1;
DELETE FROM uec_credit
 WHERE first_ns >= (SELECT max(first_ns) FROM live_epoch);
DELETE FROM nvme_tcp
 WHERE first_ns >= (SELECT max(first_ns) FROM live_epoch);
DELETE FROM uec_credit_bin
 WHERE start_ns + width_ns > (SELECT max(first_ns) FROM live_epoch);
-- @seal
-- Flows of the run before are over.
UPDATE flow SET open = NULL WHERE open = 1;
-- @gate
-- What lies where we dropped packets is no loss.  The engine knows of most such
-- times before it decides; drivers tell of theirs up to two seconds later.
DELETE FROM temp.occurrence
 WHERE (kind LIKE 'loss%' OR kind LIKE '%timeout%')
   AND EXISTS (SELECT 1 FROM capture_drop b
                WHERE b.tap_id = occurrence.tap_id
                  AND b.first_ns <= occurrence.last_ns
                  AND b.last_ns >= occurrence.first_ns);
-- @log
-- Which findings are the same as before?  Those of one rule about the same
-- hosts, flow or port; where a finding names none, its title without numbers.
CREATE TEMP TABLE standing AS
SELECT f.rule || '|' || ifnull(f.tap_id, '') || '|'
         || CASE WHEN i.id IS NOT NULL
                 THEN i.kind || ' ' || i.scope || ' ' || ifnull(i.src, '')
                      || ' ' || ifnull(i.dst, '')
                 WHEN f.flow_id IS NOT NULL
                 THEN (SELECT src || ' ' || dst || ' ' || ifnull(dst_qp, spdcid)
                         FROM flow WHERE id = f.flow_id)
                 ELSE stem(f.title) END AS key, f.*
  FROM finding f
  LEFT JOIN incident i ON i.id = f.incident_id
 -- The first packets of a capture need not be those that it is for.
 WHERE f.rule <> 'no-traffic'
    OR (SELECT total(packets) FROM tap) >= 100;
UPDATE temp.standing AS s
   SET key = key || '|' || (SELECT count(*) FROM temp.standing o
                             WHERE o.key = s.key AND o.id < s.id)
 WHERE EXISTS (SELECT 1 FROM temp.standing o
                WHERE o.key = s.key AND o.id < s.id);
INSERT INTO finding_log(key, rule, severity, confidence, title, detail, action,
                        tap_id, flow_id, first_ns, last_ns, cost_ns, evidence,
                        seen_first_ns, seen_last_ns, times)
SELECT key, rule, severity, confidence, title, detail, action, tap_id, flow_id,
       first_ns, last_ns, cost_ns, evidence, n.ns, n.ns, 1
  FROM temp.standing, temp.refresh n
 WHERE true
 ORDER BY id
    ON CONFLICT(key) DO UPDATE
   SET severity = excluded.severity, confidence = excluded.confidence,
       title = excluded.title, detail = excluded.detail,
       action = excluded.action, flow_id = excluded.flow_id,
       evidence = excluded.evidence,
       first_ns = ifnull(min(first_ns, excluded.first_ns), excluded.first_ns),
       last_ns = ifnull(max(last_ns, excluded.last_ns), excluded.last_ns),
       cost_ns = ifnull(max(cost_ns, excluded.cost_ns), excluded.cost_ns),
       times = times + (ended_ns IS NOT NULL),
       recording_id = CASE WHEN ended_ns IS NULL THEN recording_id END,
       seen_last_ns = excluded.seen_last_ns, ended_ns = NULL;
UPDATE finding_log SET ended_ns = (SELECT ns FROM temp.refresh)
 WHERE ended_ns IS NULL
   AND seen_last_ns < (SELECT ns FROM temp.refresh);
-- The file with the packets is part of the evidence.
UPDATE finding AS f
   SET evidence = json_set(ifnull(f.evidence, '{}'), '$.recording', r.path)
  FROM temp.standing s
  JOIN finding_log l ON l.key = s.key
  JOIN recording r ON r.id = l.recording_id
 WHERE s.id = f.id AND r.state <> 'gone';
-- @history
INSERT INTO history(scope, scope_id, tap_id, start_ns, width_ns, packets,
                    bytes, ce, ect, cnp, retransmitted, paused_ns)
SELECT b.scope, b.scope_id, ifnull(b.tap_id, b.scope_id),
       b.start_ns / n.width_ns * n.width_ns, n.width_ns,
       sum(b.packets), sum(b.bytes), sum(b.ce), sum(b.ect), sum(b.cnp),
       sum(b.retransmitted), sum(b.paused_ns)
  FROM temp.refresh n
  JOIN bin b ON b.scope IN ('tap', 'priority') AND b.start_ns >= n.since_ns
 GROUP BY 1, 2, 3, 4
    ON CONFLICT DO UPDATE
   SET packets = excluded.packets, bytes = excluded.bytes, ce = excluded.ce,
       ect = excluded.ect, cnp = excluded.cnp,
       retransmitted = excluded.retransmitted,
       paused_ns = excluded.paused_ns
 WHERE excluded.packets >= packets OR excluded.paused_ns > paused_ns;

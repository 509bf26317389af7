-- Which finding is the cause of which, and what each cost of the time of jobs.

-- What may come from what.  Two findings belong together when they have hosts in
-- common and the cause did not begin after its effect was over.
CREATE TEMP TABLE root_rule(
  cause TEXT,  -- finding.rule, with LIKE
  effect TEXT, -- finding.rule, with LIKE
  rank INTEGER -- the lowest where several fit
);
INSERT INTO temp.root_rule VALUES
  ('pause-deadlock', 'pause-storm', 1),
  ('pause-deadlock', 'pause-victims', 1),
  ('pause-storm', 'pause-watchdog', 1),
  ('pause-storm', 'pause-victims', 1),
  ('pause-storm', 'pause-heavy', 2),
  ('pause-storm', 'pauses', 3),
  ('pause-heavy', 'pauses', 3),
  ('pause-watchdog', 'lost-between-taps', 2),
  ('pause-watchdog', 'loss-%', 2),
  ('pauses', 'pause-victims', 3),
  ('pauses', 'slow-iterations', 3),
  ('pause-victims', 'pause-timeouts', 2),
  ('pause-storm', 'pause-timeouts', 3),
  ('pause-heavy', 'pause-timeouts', 4),
  ('pause-timeouts', 'unanswered', 1),
  ('pause-timeouts', 'timeouts', 1),
  ('pause-victims', 'unanswered', 2),
  ('pause-storm', 'unanswered', 3),
  ('jobs-interfere', 'ecn-marks', 3),
  ('persistent-marking', 'ecn-marks', 2),
  ('congested-hop', 'ecn-marks', 2),
  ('marked-between-taps', 'ecn-marks', 1),
  ('hash-collision', 'marked-between-taps', 1),
  ('hash-collision', 'imbalance', 1),
  ('polarized-layer', 'hash-collision', 1),
  ('outage', 'qp-error', 1),
  ('lost-between-taps', 'qp-error', 2),
  ('pause-storm', 'qp-error', 2),
  ('qp-error', 'unanswered', 4),
  ('qp-error', 'timeouts', 4),
  ('lost-between-taps', 'timeouts', 2),
  ('lost-between-taps', 'tail-loss', 1),
  ('lost-between-taps', 'unanswered', 2),
  ('loss-upstream', 'timeouts', 3),
  ('loss-downstream', 'timeouts', 3),
  ('tail-loss', 'timeouts', 2),
  ('corruption', 'loss-%', 1),
  ('corruption', 'lost-between-taps', 1),
  ('pause-storm', 'slow-iterations', 1),
  ('pause-heavy', 'slow-iterations', 1),
  ('lost-between-taps', 'slow-iterations', 2),
  ('tail-loss', 'slow-iterations', 2),
  ('loss-upstream', 'slow-iterations', 3),
  ('loss-downstream', 'slow-iterations', 3),
  ('unanswered', 'slow-iterations', 4),
  ('receiver-not-ready', 'slow-iterations', 3),
  ('straggler', 'slow-iterations', 3),
  ('jobs-interfere', 'slow-iterations', 3),
  ('pfc-before-ecn', 'pauses', 1),
  ('ecn-thresholds', 'pfc-before-ecn', 2),
  ('ecn-marks', 'slow-iterations', 8);

-- The hosts a finding is about; one that names none is about all of them.
CREATE TEMP TABLE party_of AS
SELECT n.id, f.src, f.dst
  FROM temp.finding n
  JOIN incident_flow m ON m.incident_id = n.incident_id
  JOIN flow f ON f.id = m.flow_id
UNION
SELECT n.id, f.src, f.dst
  FROM temp.finding n
  JOIN json_each(n.evidence, '$.flows') e
  JOIN flow f ON f.id = e.value
UNION
SELECT n.id, f.src, f.dst
  FROM temp.finding n
  JOIN flow f ON f.id = n.flow_id;
CREATE INDEX temp.party_by_id ON party_of(id, src, dst);

-- The same of the rules that found something.
CREATE TEMP TABLE root_pair AS
WITH f AS MATERIALIZED (SELECT DISTINCT rule FROM temp.finding)
SELECT e.rule AS effect, c.rule AS cause, min(r.rank) AS rank
  FROM temp.root_rule r
  JOIN f e ON e.rule LIKE r.effect
  JOIN f c ON c.rule LIKE r.cause
 GROUP BY 1, 2;
CREATE INDEX temp.root_by_effect ON root_pair(effect);
CREATE INDEX temp.finding_by_rule ON finding(rule);

UPDATE temp.finding AS e
   SET caused_by =
       (SELECT c.id
          FROM temp.root_pair r
         CROSS JOIN temp.finding c ON c.rule = r.cause
         WHERE e.rule = r.effect AND c.id <> e.id
           AND ifnull(c.first_ns <= e.last_ns, 1)
           AND (NOT EXISTS (SELECT 1 FROM temp.party_of x WHERE x.id = c.id)
                OR NOT EXISTS (SELECT 1 FROM temp.party_of x
                                WHERE x.id = e.id)
                OR EXISTS (SELECT 1 FROM temp.party_of x
                             JOIN temp.party_of y
                               ON y.id = e.id AND y.src = x.src
                              AND y.dst = x.dst
                            WHERE x.id = c.id))
         ORDER BY r.rank, c.cost_ns DESC, c.id LIMIT 1)
 WHERE rule IN (SELECT effect FROM temp.root_pair);
DROP TABLE temp.root_rule;
DROP TABLE temp.root_pair;

-- Which class of lost time a finding explains.
CREATE TEMP TABLE class_rule(class TEXT, rule TEXT);
INSERT INTO temp.class_rule VALUES
  ('pause', 'pause-deadlock'), ('pause', 'pause-storm'),
  ('pause', 'pause-heavy'), ('pause', 'pauses'), ('pause', 'pause-victims'),
  ('pause', 'pfc-before-ecn'),
  ('loss', 'lost-between-taps'), ('loss', 'loss-%'), ('loss', 'tail-loss'),
  ('loss', 'unanswered'), ('loss', 'timeouts'), ('loss', 'unrecovered-loss'),
  ('loss', 'ack-loss'), ('loss', 'corruption'), ('loss', 'outage'),
  ('loss', 'reordering'), ('loss', 'reordered-between-taps'),
  ('rate-cut', 'marked-between-taps'), ('rate-cut', 'persistent-marking'),
  ('rate-cut', 'ecn-marks'),
  ('queueing', 'jobs-interfere'), ('queueing', 'hash-collision'),
  ('queueing', 'congested-hop'), ('queueing', 'incast-at-start'),
  ('queueing', 'ecn-marks'),
  ('host-late', 'straggler'), ('host-receiver', 'receiver-not-ready'),
  ('host-receiver', 'credit-stall');

-- Of what a class took from the jobs, each root of it has a part as large as
-- its part of the time of flows.
UPDATE temp.finding AS f
   SET job_ns = p.ns
  FROM (SELECT n.id,
               CASE WHEN total(n.cost_ns) OVER w > 0
                    THEN CAST(s.ns * (1.0 * n.cost_ns
                                      / total(n.cost_ns) OVER w) AS INTEGER)
                    ELSE s.ns / count(*) OVER w END AS ns
          FROM temp.finding n
          JOIN temp.class_rule r ON n.rule LIKE r.rule
          JOIN (SELECT class, sum(ns) AS ns FROM answer_share
                 WHERE answer_id = 1 GROUP BY class) s
            ON s.class = r.class
         WHERE NOT EXISTS (SELECT 1 FROM temp.finding c
                             JOIN temp.class_rule o ON c.rule LIKE o.rule
                            WHERE c.id = n.caused_by AND o.class = r.class)
        WINDOW w AS (PARTITION BY r.class)) p
 WHERE p.id = f.id;
-- Where nothing was wrong, what no time was lost to cost none.
UPDATE temp.finding AS f SET job_ns = 0
 WHERE job_ns IS NULL
   AND EXISTS (SELECT 1 FROM temp.class_rule r WHERE f.rule LIKE r.rule)
   AND (SELECT verdict FROM answer WHERE id = 1) = 'nothing-wrong'
   AND EXISTS (SELECT 1 FROM job);
-- What cost the jobs a notable part of their time is no remark.
UPDATE temp.finding SET severity = 'warning'
 WHERE severity = 'info'
   AND job_ns >= 0.02 * (SELECT total_ns FROM answer WHERE id = 1);
-- Nor is it a warning that flows of a job took turns, where that cost the job
-- nothing: its links were full of its own data.  A loss stays one.
UPDATE temp.finding AS f
   SET severity = 'info',
       detail = detail || ' That cost less than 0.5 % of the job time: links '
         || 'of hosts were busy with the job''s own data all the time.'
 WHERE severity = 'warning'
   AND (SELECT verdict FROM answer WHERE id = 1) = 'nothing-wrong'
   AND job_ns < 0.005 * (SELECT total_ns FROM answer WHERE id = 1)
   AND EXISTS (SELECT 1 FROM temp.class_rule r
                WHERE f.rule LIKE r.rule
                  AND r.class IN ('pause', 'queueing', 'rate-cut'))
   AND EXISTS (SELECT 1 FROM answer_share s
                WHERE s.answer_id = 1 AND s.class = 'wire'
                  AND s.measured LIKE 'link load%'
                  AND s.ns >= 0.5 * (SELECT total_ns FROM answer
                                      WHERE id = 1))
   AND NOT EXISTS (SELECT 1 FROM temp.party_of p
                    WHERE p.id = f.id
                      AND p.src NOT IN (SELECT address FROM job_rank));
DROP TABLE temp.party_of;

-- In order of weight, each consequence below its cause.
CREATE TEMP TABLE weight AS
SELECT id, caused_by,
       row_number() OVER (ORDER BY
         CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1
                       WHEN 'ok' THEN 2 ELSE 3 END,
         job_ns DESC, cost_ns DESC, confidence DESC, rule, title) AS nth
  FROM temp.finding
 WHERE severity <> 'ok'
    OR (SELECT verdict FROM answer WHERE id = 1) IN ('host', 'nothing-wrong');
CREATE TEMP TABLE place_in AS
WITH RECURSIVE tree(id, path) AS (
  SELECT id, printf('%08d', nth) FROM temp.weight WHERE caused_by IS NULL
  UNION ALL
  SELECT w.id, t.path || printf('/%08d', w.nth)
    FROM tree t JOIN temp.weight w ON w.caused_by = t.id)
SELECT id, row_number() OVER (ORDER BY path) AS place FROM tree;
-- Who reports to have dropped packets of a queue pair.
CREATE TEMP TABLE dropper(src TEXT, dst TEXT, dst_qp INTEGER, estimated INTEGER,
                          text TEXT, PRIMARY KEY(src, dst, dst_qp));
INSERT OR IGNORE INTO temp.dropper
SELECT d.src, d.dst, d.dst_qp, d.estimated,
       ifnull(s.node, s.device) || ' dropped packets of theirs (' || d.reason
         || ')'
         || ifnull(', towards interface ' || d.output, '')
  FROM sampled d /*scan*/
  JOIN evidence_source s ON s.id = d.source_id
 WHERE d.verdict = 'explains'
 ORDER BY d.estimated DESC;
INSERT INTO main.finding(id, rule, severity, caused_by, confidence, title,
                         detail, action, tap_id, flow_id, first_ns, last_ns,
                         job_ns, cost_ns, incident_id, place, place_at, evidence)
SELECT p.place, f.rule, f.severity, c.place, f.confidence, f.title,
       f.detail || ifnull(' Also seen at ' || i.also || '; counted once.', '')
         || ifnull((SELECT ' According to counters: ' || min(k.reason) || '.'
                      FROM counter_check k /*scan*/
                     WHERE k.incident_id = f.incident_id
                       AND k.verdict = 'explains'
                       AND f.rule NOT LIKE 'counters-%'), '')
         || ifnull((SELECT ' By its own word ' || d.text || '.'
                      FROM incident_flow m
                      JOIN flow w ON w.id = m.flow_id
                      JOIN temp.dropper d ON d.src = w.src AND d.dst = w.dst
                                         AND d.dst_qp = w.dst_qp
                     WHERE m.incident_id = i.id AND i.lost_max > 0
                     ORDER BY d.estimated DESC LIMIT 1), ''),
       f.action, f.tap_id, f.flow_id, f.first_ns, f.last_ns, f.job_ns,
       f.cost_ns, f.incident_id, f.place, f.place_at, f.evidence
  FROM temp.place_in p
  JOIN temp.finding f ON f.id = p.id
  LEFT JOIN temp.place_in c ON c.id = f.caused_by
  LEFT JOIN incident i ON i.id = f.incident_id
 ORDER BY p.place;

UPDATE answer AS a
   SET finding =
       (SELECT f.id FROM main.finding f
          JOIN temp.class_rule r ON f.rule LIKE r.rule
         WHERE r.class = a.cause
         ORDER BY f.id LIMIT 1)
 WHERE verdict IN ('network', 'host', 'both');
DROP TABLE temp.class_rule;
DROP TABLE temp.weight;
DROP TABLE temp.dropper;
DROP TABLE temp.place_in;
DROP TABLE temp.finding;
DROP TABLE temp.occurrence;

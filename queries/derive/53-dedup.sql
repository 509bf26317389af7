-- Cross-tap dedup: what several capture points saw of one flow counts once, where
-- it is known most exactly.
--
-- A loss before all of them lies between the sender and the first, one behind
-- all of them between the last and the receiver; of what is known to be the
-- same (flow, PSN, the how manyth time) the others only tell a longer
-- stretch.  A place whose capture misses packets of its own, or that is less
-- sure, does not speak for one that is better.  Nobody speaks for a place that
-- saw more than he did.
-- needs temp.occurrence

-- Which kinds are about the same packets, seen from one side; and whether the
-- place nearest to the sender knows best (1), or that nearest to the receiver.
CREATE TEMP TABLE reported_by(kind TEXT PRIMARY KEY, class TEXT, sender INTEGER);
INSERT INTO temp.reported_by VALUES
  ('loss_upstream', 'lost before', 1),
  ('tail_loss_upstream', 'lost before', 1),
  ('outage_upstream', 'lost before', 1),
  ('trimmed_upstream', 'trimmed before', 1),
  ('reorder', 'late before', 1),
  ('reorder_tolerated', 'late, no harm', 1),
  ('corruption', 'corrupted', 1),
  ('duplicated', 'duplicated', 1),
  ('psn_jump', 'psn_jump', 1),
  ('unresolved', 'hole', 1),
  ('uc_gap', 'hole of UC', 1),
  ('loss_downstream', 'wanted behind', 0),
  ('tail_loss_downstream', 'wanted behind', 0),
  ('outage_downstream', 'wanted behind', 0),
  ('loss_or_reorder', 'wanted behind', 0),
  ('reorder_downstream', 'wanted behind', 0),
  ('trimmed_downstream', 'trimmed behind', 0);

CREATE TEMP TABLE dedup(occurrence_id INTEGER PRIMARY KEY, by_id INTEGER);
INSERT INTO temp.dedup
WITH spot AS MATERIALIZED (
  SELECT w.flow_id, w.tap_path_id, w.hop, c.capture_missing > 0 AS misses
    FROM tap_path w /*scan*/
    JOIN coverage c ON c.tap_id = w.tap_id),
story AS MATERIALIZED (
  SELECT t.rowid AS id, t.kind, w.tap_path_id,
         ifnull(b.class, t.kind) AS class, t.psn,
         t.occurrences, t.lost_min, t.first_ns, ifnull(w.misses, 0) AS misses,
         ifnull(t.confidence, 0) < 0.5 AS unsure,
         -- Answers come from where the flow goes to.
         w.hop * CASE WHEN ifnull(b.sender, 0) = (t.src IS f.src)
                      THEN 1 ELSE -1 END AS far,
         row_number() OVER (
           PARTITION BY t.flow_id, ifnull(b.class, t.kind), t.psn
           ORDER BY t.first_ns, t.rowid) AS nth
    FROM temp.occurrence t
   CROSS JOIN spot w ON w.flow_id = t.flow_id
   CROSS JOIN flow f ON f.id = t.flow_id
    LEFT JOIN temp.reported_by b ON b.kind = t.kind
   WHERE t.occurrences > 0 AND t.kind NOT LIKE '%\_between' ESCAPE '\'),
best AS (
  SELECT *, first_value(id) OVER (
              PARTITION BY tap_path_id, class, psn, nth
              ORDER BY misses, unsure, far, id) AS by_id
    FROM story)
SELECT a.id, a.by_id
  FROM best a
 CROSS JOIN temp.occurrence b ON b.rowid = a.by_id
 WHERE a.id <> a.by_id
   AND CASE WHEN a.psn IS NULL THEN a.occurrences = b.occurrences
            ELSE abs(a.first_ns - b.first_ns) < 1000000000 END
   -- "Lost or late" there is what is known here, whichever it was.
   AND CASE a.kind WHEN 'loss_or_reorder' THEN 0 ELSE ifnull(a.lost_min, 0) END
       <= ifnull(b.lost_min, 0);

-- What one of them has in one recovery the other has in several, with other
-- first PSNs.  Where all packets were followed from the first to the second, and
-- the first counts no fewer, it has all of them.
INSERT OR IGNORE INTO temp.dedup
WITH before AS MATERIALIZED (
  SELECT t.flow_id, min(t.rowid) AS id, sum(t.lost_min) AS lost
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM segment_flow))
   CROSS JOIN temp.occurrence t /*scan*/
    JOIN temp.reported_by b ON b.kind = t.kind AND b.class = 'lost before'
    JOIN flow f ON f.id = t.flow_id AND f.src = t.src
   WHERE t.occurrences > 0
   GROUP BY t.flow_id)
SELECT t.rowid, a.id
  FROM segment_flow m /*scan*/
 CROSS JOIN before a ON a.flow_id = m.flow_id
 CROSS JOIN before z ON z.flow_id = m.to_flow_id AND z.lost <= a.lost
 CROSS JOIN flow f ON f.id = z.flow_id
 CROSS JOIN temp.occurrence t ON t.flow_id = f.id AND t.src = f.src
 CROSS JOIN temp.reported_by b ON b.kind = t.kind AND b.class = 'lost before'
 WHERE m.open = 0 AND m.missed_to = 0 AND m.missed_from = 0
   AND t.occurrences > 0;

-- What cannot be explained here may be elsewhere: then it is reported there, or is
-- no problem.  That it was a timeout, and nothing else, explains it to who does not
-- know even that.
INSERT OR IGNORE INTO temp.dedup
WITH known AS MATERIALIZED (
  SELECT w.tap_path_id, w.hop, r.psn, r.first_ns, r.cause = 'unknown' AS timeout
    FROM tap_path w /*scan*/
   CROSS JOIN recovery r ON r.flow_id = w.flow_id
   WHERE r.cause <> 'unknown' OR r.trigger = 'timeout' AND r.rule LIKE 'R%'),
dark AS MATERIALIZED (
  SELECT t.rowid AS id, t.kind, w.tap_path_id, w.hop, t.psn, t.first_ns
    FROM tap_path w /*scan*/
   CROSS JOIN temp.occurrence t ON t.flow_id = w.flow_id
   WHERE t.kind IN ('unexplained', 'timeout', 'unanswered'))
SELECT d.id, NULL
  FROM dark d
 CROSS JOIN known k ON k.tap_path_id = d.tap_path_id AND k.psn = d.psn
 WHERE k.hop <> d.hop AND abs(k.first_ns - d.first_ns) < 1000000000
   AND (NOT k.timeout OR d.kind = 'unexplained');

-- Every packet of these was followed to the next place: what was lost between the
-- two is counted packet by packet, and what was lost behind the second shows there.
-- (A retransmission is named by a NAK that left before it arrived, and no other
-- place takes it for a loss.)  Not where the second lacks packets of either
-- direction.  What the first place has more than the second and the rows of what
-- was lost, |rowless|, may have been lost as well: one that was lost twice.
CREATE TEMP TABLE followed(flow_id INTEGER PRIMARY KEY, to_flow_id INTEGER,
                           rowless INTEGER);
INSERT OR IGNORE INTO temp.followed
SELECT m.flow_id, m.to_flow_id,
       max((SELECT requests FROM flow WHERE id = m.flow_id) - b.requests
             - (SELECT count(*) FROM unmatched v
                 WHERE v.flow_id = m.flow_id AND v.to_flow_id = b.id
                   AND v.verdict = 'lost' AND v.kind = 'request'), 0)
  FROM segment_flow m /*scan*/
  JOIN segment s ON s.id = m.segment_id
  JOIN flow b ON b.id = m.to_flow_id
  JOIN segment_flow r ON r.flow_id = b.peer_flow_id
  JOIN coverage c ON c.tap_id = b.tap_id
 WHERE s.adjacent AND s.one_in = 1
   AND m.open = 0 AND m.missed_to = 0 AND m.missed_from = 0
   AND r.to_flow_id = (SELECT peer_flow_id FROM flow WHERE id = m.flow_id)
   AND r.missed_from = 0 AND ifnull(c.capture_missing, 0) = 0
   AND NOT EXISTS (SELECT 1 FROM row_limit WHERE table_name = 'unmatched');
CREATE TEMP TABLE followed_flow(id INTEGER PRIMARY KEY);
INSERT INTO temp.followed_flow
SELECT flow_id FROM temp.followed /*scan*/
 UNION SELECT to_flow_id FROM temp.followed /*scan*/;
INSERT OR IGNORE INTO temp.dedup
WITH counted AS MATERIALIZED (
  SELECT DISTINCT flow_id FROM temp.occurrence WHERE kind = 'loss_between')
SELECT t.rowid, NULL
  FROM temp.occurrence t
 CROSS JOIN temp.followed s ON s.flow_id = t.flow_id
 CROSS JOIN flow f ON f.id = t.flow_id
 WHERE t.kind IN ('loss_downstream', 'loss_or_reorder') AND t.src = f.src
   AND (t.flow_id IN counted
        OR (s.rowless = 0
            AND NOT EXISTS (SELECT 1 FROM unmatched v
                             WHERE v.flow_id = t.flow_id
                               AND v.verdict = 'lost')));

-- And so for the counts of their flows: lost behind here is what was lost on the
-- way to the last place that they were followed to, and behind that.
WITH RECURSIVE way(flow_id, to_flow_id, lost, rowless) AS (
  SELECT flow_id, flow_id, 0, 0 FROM temp.followed /*scan*/
  UNION ALL
  SELECT w.flow_id, s.to_flow_id,
         w.lost + (SELECT count(*) FROM unmatched v
                    WHERE v.flow_id = s.flow_id AND v.verdict = 'lost'
                      AND v.kind = 'request'),
         w.rowless + s.rowless
    FROM way w
    JOIN temp.followed s ON s.flow_id = w.to_flow_id),
behind AS MATERIALIZED (
  SELECT w.flow_id, w.lost + f.lost_downstream_min AS least,
         w.lost + w.rowless + f.lost_downstream_max AS most
    FROM way w
    JOIN flow f ON f.id = w.to_flow_id
   WHERE w.to_flow_id NOT IN (SELECT flow_id FROM temp.followed)
     AND f.transport IN ('RC', 'XRC') AND NOT f.spray_suspect)
UPDATE flow
   SET lost_downstream_min = min(max(lost_downstream_min, b.least), b.most),
       lost_downstream_max = max(min(lost_downstream_max, b.most), b.least)
  FROM behind b
 WHERE b.flow_id = flow.id AND b.least IS NOT NULL
   AND lost_downstream_max IS NOT NULL;

-- Rows that only name further frames go with those they belong to.
INSERT INTO temp.dedup
SELECT m.rowid, r.by_id
  FROM temp.dedup r
 CROSS JOIN temp.occurrence t ON t.rowid = r.occurrence_id
  JOIN temp.occurrence m ON m.flow_id = t.flow_id AND m.kind = t.kind
 WHERE r.by_id IS NOT NULL AND t.psn IS NULL AND m.occurrences = 0;

-- Who else saw it: the place, for the sentence that says so.
CREATE TEMP TABLE also(occurrence_id INTEGER, tap_id INTEGER);
INSERT INTO temp.also
SELECT DISTINCT r.by_id, t.tap_id
  FROM temp.dedup r
 CROSS JOIN temp.occurrence t ON t.rowid = r.occurrence_id
 WHERE r.by_id IS NOT NULL;
DELETE FROM temp.occurrence WHERE rowid IN (SELECT occurrence_id FROM temp.dedup);
DROP TABLE temp.dedup;
DROP TABLE temp.reported_by;

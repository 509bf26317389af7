-- Groups occurrences into incidents: one per kind and hosts.
--
-- How finely hosts are distinguished depends on how many there are: pairs while
-- no more than five are concerned, else receivers, else senders, else only
-- the tap.  A thousand flows that suffer alike are one incident.  What does no
-- harm is reported once.
--
-- The links of one hop, and the files of a capture that was written in pieces,
-- are one place, which stands here under its first tap.
-- needs temp.occurrence
CREATE TEMP TABLE place_of(tap_id INTEGER PRIMARY KEY, place_id INTEGER);
INSERT INTO temp.place_of
SELECT id, min(id) OVER (PARTITION BY ifnull(place, -id)) FROM tap;

CREATE TEMP TABLE party AS
SELECT DISTINCT t.kind, p.place_id AS tap_id, t.src, t.dst, NULL AS incident_id
  FROM temp.occurrence t
  LEFT JOIN temp.place_of p ON p.tap_id = t.tap_id;

CREATE TEMP TABLE grain AS
SELECT kind,
       CASE WHEN count(*) <= most THEN 'pair'
            WHEN count(DISTINCT tap_id || ' ' || dst) <= most THEN 'dst'
            WHEN count(DISTINCT tap_id || ' ' || src) <= most THEN 'src'
            WHEN count(DISTINCT tap_id) <= most THEN 'tap'
            ELSE 'all' END AS scope
  FROM (SELECT *, CASE WHEN kind IN ('reorder_tolerated', 'duplicated')
                       THEN 1 ELSE 5 END AS most FROM temp.party)
 GROUP BY kind;

CREATE TEMP TABLE grouping(
  id INTEGER PRIMARY KEY,
  kind TEXT, scope TEXT, tap_id INTEGER, src TEXT, dst TEXT
);
INSERT INTO temp.grouping(kind, scope, tap_id, src, dst)
SELECT DISTINCT p.kind, g.scope,
       CASE WHEN g.scope <> 'all' THEN p.tap_id END,
       CASE WHEN g.scope IN ('pair', 'src') THEN p.src END,
       CASE WHEN g.scope IN ('pair', 'dst') THEN p.dst END
  FROM temp.party p
  JOIN temp.grain g ON g.kind = p.kind
 ORDER BY 1, 3, 4, 5;

UPDATE temp.party AS p
   SET incident_id = g.id
  FROM temp.grouping g
 WHERE g.kind = p.kind
   AND (g.scope = 'all' OR g.tap_id IS p.tap_id)
   AND (g.scope NOT IN ('pair', 'src') OR g.src IS p.src)
   AND (g.scope NOT IN ('pair', 'dst') OR g.dst IS p.dst);
UPDATE temp.occurrence AS t
   SET incident_id = g.id
  FROM temp.grouping g
 WHERE g.kind = t.kind
   AND (g.scope = 'all'
        OR g.tap_id IS (SELECT place_id FROM temp.place_of
                         WHERE tap_id = t.tap_id))
   AND (g.scope NOT IN ('pair', 'src') OR g.src IS t.src)
   AND (g.scope NOT IN ('pair', 'dst') OR g.dst IS t.dst);

CREATE INDEX temp.occurrence_by_incident ON occurrence(incident_id, flow_id);
CREATE INDEX temp.party_by_incident ON party(incident_id);

INSERT INTO incident_flow(incident_id, flow_id, occurrences, cost_ns)
SELECT incident_id, flow_id, sum(occurrences), sum(cost_ns)
  FROM temp.occurrence
 WHERE flow_id IS NOT NULL
 GROUP BY incident_id, flow_id;

INSERT INTO incident(id, kind, scope, tap_id, src, dst, flow_id, flows,
                     occurrences, lost_min, lost_max, retransmitted_packets,
                     retransmitted_bytes, idle_ns, cost_ns, first_ns, last_ns,
                     confidence)
SELECT g.id, g.kind, g.scope,
       CASE WHEN min(t.tap_id) = max(t.tap_id) THEN max(t.tap_id) END,
       CASE WHEN min(t.src) = max(t.src) THEN max(t.src) END,
       CASE WHEN min(t.dst) = max(t.dst) THEN max(t.dst) END,
       CASE WHEN min(t.flow_id) = max(t.flow_id) THEN max(t.flow_id) END,
       (SELECT count(DISTINCT ifnull(s.counted_id, m.flow_id))
          FROM incident_flow m
          LEFT JOIN same_flow s ON s.flow_id = m.flow_id
         WHERE m.incident_id = g.id
           AND (m.occurrences > 0
                OR g.kind NOT LIKE '%\_between' ESCAPE '\')),
       sum(t.occurrences), sum(t.lost_min), sum(t.lost_max),
       sum(t.retransmitted_packets), sum(t.retransmitted_bytes), max(t.idle_ns),
       sum(t.cost_ns), min(t.first_ns), max(t.last_ns),
       sum(t.confidence * t.occurrences)
         / sum(CASE WHEN t.confidence IS NOT NULL THEN t.occurrences END)
  FROM temp.grouping g
  JOIN temp.occurrence t ON t.incident_id = g.id
 GROUP BY g.id;

UPDATE incident AS i
   SET who =
       (SELECT CASE
          WHEN count(*) = 1
          THEN ifnull(max(src) || ' > ' || max(dst), 'unknown hosts')
          WHEN count(DISTINCT dst) = 1
          THEN plural(count(DISTINCT src), 'host') || ' > ' || max(dst)
          WHEN count(DISTINCT src) = 1
          THEN max(src) || ' > ' || plural(count(DISTINCT dst), 'host')
          ELSE plural(count(*), 'host pair') END
          FROM (SELECT DISTINCT src, dst FROM temp.party
                 WHERE incident_id = i.id));

UPDATE incident AS i
   SET (worst_flow_id, worst_ns) =
       (SELECT flow_id, cost_ns FROM incident_flow
         WHERE incident_id = i.id ORDER BY cost_ns DESC, flow_id LIMIT 1),
       expected =
       (SELECT sum(f.expected) FROM incident_flow m
          JOIN flow f ON f.id = m.flow_id WHERE m.incident_id = i.id),
       (missing_share, low_confidence) =
       (SELECT CAST(sum(capture_missing) AS REAL) / nullif(sum(checked), 0),
               max(low_confidence)
          FROM temp.grouping g
          JOIN temp.place_of p ON g.tap_id IS NULL OR p.place_id = g.tap_id
          JOIN coverage c ON c.tap_id = p.tap_id
         WHERE g.id = i.id);

-- What the capture is known to miss of these flows and places.
CREATE TEMP TABLE missing_at(
  place_id INTEGER PRIMARY KEY, missing, checked, clump
);
-- A hole in a reliable flow that is never filled was delivered, too: all flows of
-- one visibility know of it, or none.
CREATE TEMP VIEW missing_of AS
SELECT f.id AS flow_id, p.place_id,
       ifnull(f.capture_missing, f.unresolved) AS missing, f.expected
  FROM flow_brief f
 CROSS JOIN temp.place_of p ON p.tap_id = f.tap_id
 WHERE NOT f.spray_suspect AND f.expected > 0
   AND f.transport IN ('RC', 'XRC', 'UET-ROD', 'UET-RUD');
WITH clump AS MATERIALIZED (
  SELECT place_id, max(n) AS size
    FROM (SELECT place_id, sum(count) AS n
            FROM (SELECT e.flow_id, p.place_id, e.count,
                         e.psn + e.count
                         - sum(e.count) OVER (PARTITION BY e.flow_id
                                              ORDER BY e.psn, e.id) AS island
                    FROM event e
                    JOIN temp.place_of p ON p.tap_id = e.tap_id
                   WHERE e.kind = 'capture_missing')
           GROUP BY flow_id, island)
   GROUP BY place_id)
INSERT INTO temp.missing_at
SELECT m.place_id, m.missing, m.expected, ifnull(u.size, 1)
  FROM (SELECT p.place_id, sum(f.expected) AS expected,
               sum(ifnull(f.capture_missing, f.unresolved)) AS missing
          FROM flow_sum f /*scan*/
          JOIN temp.place_of p ON p.tap_id = f.tap_id
         WHERE NOT f.sprayed AND f.expected > 0
           AND f.transport IN ('RC', 'XRC', 'UET-ROD', 'UET-RUD')
         GROUP BY p.place_id) m
  LEFT JOIN clump u ON u.place_id = m.place_id;

-- What was not seen may as well have passed, and be missing in the capture
-- only.  How many of |n| these are at most, 99 % sure, follows from what is
-- known to be missing at that place, or of these flows, whichever is more.
--   `resent`  packets retransmitted: each may hide one not captured, and
--           a mirror drops them in clumps
--   asked   times a receiver asked for a packet; |named| of them for one that
--           was not seen, which is wrong only if the capture misses just that
CREATE TEMP TABLE proof AS
WITH claim AS MATERIALIZED (
  SELECT t.incident_id, g.tap_id, sum(t.lost_min) AS lost,
         sum(t.named) AS named
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.missing_at /*scan*/
                                  WHERE missing > 0))
   CROSS JOIN temp.occurrence t
    JOIN temp.grouping g ON g.id = t.incident_id
   WHERE t.kind IN ('loss_upstream', 'tail_loss_upstream', 'outage_upstream',
                    'loss_between')
   GROUP BY t.incident_id),
tried AS MATERIALIZED (
  SELECT c.incident_id, sum(r.retransmitted_packets) AS retransmitted,
         sum(r.trigger IN ('nak', 'implied_nak') OR r.rule LIKE 'R17%')
           AS asked
    FROM claim c
    JOIN incident_flow m ON m.incident_id = c.incident_id
    JOIN recovery r ON r.flow_id = m.flow_id
    JOIN temp.place_of p ON p.tap_id = r.tap_id
   WHERE c.tap_id IS NULL OR p.place_id = c.tap_id
   GROUP BY c.incident_id),
-- Next to numbers that only the capture misses: most likely of one clump.
near AS MATERIALIZED (
  SELECT flow_id, tap_id, sum(count) AS n
    FROM (SELECT flow_id, tap_id, kind, count,
                 lag(kind) OVER before = 'capture_missing'
                   AND lag(psn + count) OVER before = psn
                 OR lead(kind) OVER before = 'capture_missing'
                   AND lead(psn) OVER before = psn + count AS beside
            FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM claim /*scan*/))
           CROSS JOIN event
           WHERE kind IN ('capture_missing', 'loss_upstream')
          WINDOW before AS (PARTITION BY flow_id ORDER BY psn, id))
   WHERE beside AND kind = 'loss_upstream'
   GROUP BY flow_id, tap_id),
beside AS MATERIALIZED (
  SELECT c.incident_id, sum(e.n) AS n
    FROM claim c
    JOIN incident_flow m ON m.incident_id = c.incident_id
    JOIN near e ON e.flow_id = m.flow_id
    JOIN temp.place_of p ON p.tap_id = e.tap_id
   WHERE c.tap_id IS NULL OR p.place_id = c.tap_id
   GROUP BY c.incident_id),
share AS MATERIALIZED (
  SELECT c.incident_id, l.missing, l.checked, l.clump
    FROM claim c
    JOIN temp.missing_at l ON c.tap_id IS NULL OR l.place_id = c.tap_id
   WHERE l.missing > 0
  UNION ALL
  SELECT c.incident_id, sum(m.missing), sum(m.expected), max(l.clump)
    FROM claim c
    JOIN incident_flow i ON i.incident_id = c.incident_id
    JOIN flow o ON o.id = i.flow_id
   CROSS JOIN temp.missing_of m ON m.flow_id IN (o.id, o.peer_flow_id)
    JOIN temp.missing_at l ON l.place_id = m.place_id
   WHERE c.tap_id IS NULL OR m.place_id = c.tap_id
   GROUP BY c.incident_id
  HAVING sum(m.missing) > 0)
SELECT c.incident_id,
       max(c.lost - max(max(clump * at_most(1.0 * missing / clump, checked,
                                            retransmitted)), ifnull(max(b.n), 0)),
           c.named - max(at_most(missing, checked, asked)), 0) AS least
  FROM claim c
  JOIN tried r ON r.incident_id = c.incident_id
  JOIN share s ON s.incident_id = c.incident_id
  LEFT JOIN beside b ON b.incident_id = c.incident_id
 GROUP BY c.incident_id;
UPDATE incident AS i
   SET lost_min = min(lost_min, CAST(least AS INTEGER))
  FROM temp.proof p
 WHERE p.incident_id = i.id;

-- Followed packet by packet from place to place, they are counted, but for those
-- without a row.  Recoveries at the two places may each have a part of them, and
-- some be in both.
UPDATE incident AS i
   SET lost_min = iif(all_of_them, n, max(lost_min, n)),
       lost_max = iif(all_of_them, n + rowless, max(lost_max, n + rowless))
  FROM (SELECT m.incident_id, count(*) AS n,
               ifnull((SELECT sum(o.rowless) FROM temp.followed o
                        WHERE o.flow_id IN
                              (SELECT flow_id FROM incident_flow k
                                WHERE k.incident_id = m.incident_id)), 0)
                 AS rowless,
               NOT EXISTS (SELECT 1 FROM incident_flow o
                            WHERE o.incident_id = m.incident_id
                              AND o.flow_id NOT IN temp.followed_flow)
                 AS all_of_them
          FROM temp.grouping g
          JOIN incident_flow m ON m.incident_id = g.id
          JOIN unmatched v ON v.flow_id = m.flow_id
          JOIN segment s ON s.id = v.segment_id
          JOIN temp.place_of p ON p.tap_id = s.to_tap_id
         WHERE v.verdict = 'lost' AND v.kind <> 'ack'
           AND g.kind = 'loss_between'
           AND (g.tap_id IS NULL OR g.tap_id = p.place_id)
         GROUP BY m.incident_id) exact
 WHERE exact.incident_id = i.id;

-- What may all be missing in the capture only was lost, but who knows where.
UPDATE incident
   SET kind = CASE WHEN kind IN ('loss_upstream', 'loss_between')
                   THEN 'loss_unplaced' ELSE 'tail_loss_unplaced' END
 WHERE lost_min = 0 AND id IN (SELECT incident_id FROM temp.proof);
DROP TABLE temp.proof;

-- Senders of UET go on while something is missing: that no NACK named it,
-- and so that a timer did, follows only from a NACK, SACK or ACK that is not
-- here.  Where the capture may miss as many of these, nothing is reported.
WITH again AS MATERIALIZED (
  SELECT i.id, i.tap_id, sum(r.retransmitted_packets) AS retransmitted
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.missing_at /*scan*/
                                  WHERE missing > 0))
   CROSS JOIN incident i
    JOIN incident_flow m ON m.incident_id = i.id
    JOIN flow f ON f.id = m.flow_id
    JOIN recovery r ON r.flow_id = m.flow_id
   WHERE i.kind IN ('timeout', 'unanswered', 'unexplained')
   GROUP BY i.id
  HAVING min(f.transport LIKE 'UET-%')),
hidden AS MATERIALIZED (
  SELECT a.id, max(l.clump * at_most(1.0 * l.missing / l.clump, l.checked,
                                     a.retransmitted)) AS n
    FROM again a
    JOIN temp.missing_at l
    JOIN temp.place_of p ON p.place_id = l.place_id
                        AND (a.tap_id IS NULL OR p.tap_id = a.tap_id)
   WHERE l.missing > 0
   GROUP BY a.id)
UPDATE incident AS i
   SET kind = 'hidden_' || kind
  FROM hidden h
 WHERE h.id = i.id
   AND CASE kind WHEN 'unexplained' THEN retransmitted_packets
                 ELSE occurrences END <= h.n;
DROP VIEW temp.missing_of;
DROP TABLE temp.missing_at;

-- The queue pair is that of the host called the receiver: answers to a READ go
-- to the queue pair that asked.  A flow seen at two taps is one flow.
UPDATE incident AS i
   SET who = who || CASE
         WHEN one.n <> 1 THEN ', ' || plural(one.n, 'flow')
         WHEN one.qp IS NULL AND one.pdc IS NULL THEN ''
         WHEN one.qp IS NULL THEN printf(', PDC 0x%04x', one.pdc)
         ELSE printf(', QP 0x%06x', one.qp) END
  FROM (SELECT m.incident_id,
               count(DISTINCT ifnull(s.counted_id, m.flow_id)) AS n,
               max(f.spdcid) AS pdc,
               max(CASE WHEN f.dst IS g.dst THEN f.dst_qp
                        ELSE ifnull(f.src_qp, p.dst_qp) END) AS qp
          FROM incident g
          JOIN incident_flow m ON m.incident_id = g.id
          JOIN flow f ON f.id = m.flow_id
          LEFT JOIN flow p ON p.id = f.peer_flow_id
          LEFT JOIN same_flow s ON s.flow_id = f.id
         WHERE m.occurrences > 0 OR g.kind NOT LIKE '%\_between' ESCAPE '\'
         GROUP BY m.incident_id) one
 WHERE one.incident_id = i.id;
UPDATE incident AS i
   SET who = who || ' at ' || (SELECT name FROM tap WHERE id = i.tap_id)
 WHERE (SELECT count(DISTINCT place_id) FROM temp.place_of) > 1
   AND kind NOT LIKE '%\_between' ESCAPE '\'
   AND EXISTS (SELECT 1 FROM tap WHERE id = i.tap_id AND name IS NOT NULL);

UPDATE incident
   SET cost = ltrim(
       CASE WHEN retransmitted_packets > 0
            THEN plural(retransmitted_packets, 'packet')
                 || CASE WHEN retransmitted_bytes > 0
                         THEN ' (' || human_bytes(retransmitted_bytes) || ')'
                         ELSE '' END
                 || ' retransmitted.' ELSE '' END
       || CASE WHEN cost_ns > 0 AND flows > 1
               THEN ' One flow lost up to ' || human_ns(worst_ns) || '.'
               ELSE '' END),
       caution =
       CASE WHEN low_confidence AND missing_share > 0
            THEN ' LOW CONFIDENCE: '
                 || human_share(missing_share) || ' of the packets were not '
                 || 'captured here, so some of these may not be losses.'
            ELSE '' END;

UPDATE incident AS i
   SET also = (SELECT group_concat(name, ', ')
                 FROM (SELECT DISTINCT ifnull(p.name, 'tap ' || p.id) AS name
                         FROM temp.occurrence t
                         JOIN temp.also a ON a.occurrence_id = t.rowid
                         JOIN tap p ON p.id = a.tap_id
                        WHERE t.incident_id = i.id ORDER BY p.id))
 WHERE EXISTS (SELECT 1 FROM temp.also);
DROP TABLE temp.also;

-- The costliest recoveries are the frames to look at.
UPDATE incident AS i
   SET evidence = json_object(
       'frames', (SELECT json_group_array(json_object('tap', tap,
                                                      'frame', frame)) FROM
         (SELECT ifnull(frame_tap_id, tap_id) AS tap, frame
            FROM temp.occurrence WHERE incident_id = i.id AND frame IS NOT NULL
           GROUP BY ifnull(frame_tap_id, tap_id), frame
           ORDER BY max(cost_ns) DESC, min(first_ns), frame LIMIT 5)),
       'events', (SELECT json_group_array(e) FROM
         (SELECT event_id AS e
            FROM temp.occurrence WHERE incident_id = i.id AND event_id IS NOT NULL
           ORDER BY cost_ns DESC, first_ns, e LIMIT 10)),
       'flows', (SELECT json_group_array(f) FROM
         (SELECT flow_id AS f FROM incident_flow
           WHERE incident_id = i.id ORDER BY cost_ns DESC, f LIMIT 10)),
       'numbers', json_object(
         'flows', flows, 'occurrences', occurrences, 'lost_min', lost_min,
         'lost_max', lost_max, 'retransmitted_packets', retransmitted_packets,
         'retransmitted_bytes', retransmitted_bytes, 'idle_ns', idle_ns,
         'cost_ns', cost_ns, 'worst_ns', worst_ns, 'expected', expected,
         'missing_share', missing_share));

DROP TABLE temp.followed;
DROP TABLE temp.followed_flow;
DROP TABLE temp.place_of;
DROP TABLE temp.party;
DROP TABLE temp.grain;
DROP TABLE temp.grouping;

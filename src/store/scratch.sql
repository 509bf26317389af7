-- Tables that live only while the verdicts are made.

-- What went wrong, one row per episode or per flow: filled by queries/trouble.
CREATE TEMP TABLE trouble(
  kind TEXT NOT NULL,     -- incident.kind
  flow_id INTEGER,        -- flow.id
  tap_id INTEGER,         -- tap.id
  place_id INTEGER,       -- first tap.id of its place: set by incident.sql
  src TEXT,               -- who sent what was lost, refused or delayed
  dst TEXT,               -- to whom
  episodes INTEGER,       -- times it happened
  lost_min INTEGER,       -- packets lost, at least
  lost_max INTEGER,       -- and at most
  resent_packets INTEGER, -- packets sent again
  resent_bytes INTEGER,   -- octets sent again
  silence_ns INTEGER,     -- length of the sender's silence
  cost_ns INTEGER,        -- length
  first_ns INTEGER,       -- begin
  last_ns INTEGER,        -- end
  frame INTEGER,          -- the frame to look at
  event_id INTEGER,       -- event.id
  confidence REAL,        -- 0..1
  incident_id INTEGER     -- set by incident.sql
);

-- Losses that two places of capture saw from both sides: the same repetition of
-- the same packet number, recovered at the same time.  What one calls lost or
-- overtaken behind it, and the other saw come late, was overtaken between them.
INSERT INTO seen_twice(seen_id, lost_id, told, late)
WITH lost AS MATERIALIZED (
  SELECT r.id, r.psn, r.cause = 'loss_upstream' AS behind,
         r.cause = 'reorder' AND r.rule NOT LIKE 'R26%' AS late, r.first_ns,
         r.detect_ns, t.place, f.src, f.dst, f.dst_qp,
         row_number() OVER (PARTITION BY r.flow_id, r.psn ORDER BY r.id) AS nth
    FROM recovery r
    JOIN flow f ON f.id = r.flow_id
    JOIN tap t ON t.id = r.tap_id
   WHERE r.cause IN ('loss_upstream', 'loss_downstream', 'loss_or_reorder',
                     'reorder')
     AND NOT f.spray_suspect
     AND (SELECT count(DISTINCT place) FROM tap) > 1),
pairs AS MATERIALIZED (
  SELECT a.id AS seen_id, b.id AS lost_id, b.late,
         row_number() OVER (PARTITION BY b.id ORDER BY a.detect_ns, a.id)
           AS from_loss,
         row_number() OVER (PARTITION BY a.id ORDER BY b.detect_ns DESC, b.id)
           AS to_loss
    FROM lost a
    JOIN lost b ON b.src = a.src AND b.dst = a.dst AND b.dst_qp = a.dst_qp
               AND b.psn = a.psn AND b.nth = a.nth
   WHERE NOT a.behind AND NOT a.late AND (b.behind OR b.late)
     AND a.place <> b.place
     AND abs(a.first_ns - b.first_ns) < 1000000000)
SELECT seen_id, lost_id, from_loss = 1 AND to_loss = 1 AND NOT late, late
  FROM pairs;

-- What the KPIs ask of all flows, added up once: flows of one transport, a flow
-- seen at several places counted once, where it shows most.
CREATE TEMP TABLE service AS
WITH one AS (
  SELECT transport, ifnull(spray_suspect, 0) AS sprayed,
         requests > 0 OR responses > 0 AS numbered, payload_bytes > 0 AS carried,
         goodput_bytes AS goodput, bytes + 24 * packets AS wire, expected,
         lost_upstream + lost_downstream_min AS lost_min,
         lost_upstream + lost_downstream_max + unresolved AS lost_max,
         retransmitted AS again, reordered, spurious, timeouts,
         nak_seq + implied_nak AS naks, rnr_nak AS rnr, first_ns, last_ns,
         latency_min_ns AS least, latency_max_ns AS most,
         1.0 * latency_mean_ns * messages_completed AS latency,
         CASE WHEN latency_mean_ns IS NOT NULL
              THEN messages_completed END AS timed
    FROM flow /*scan*/
   WHERE (SELECT count(DISTINCT place) FROM tap) <= 1
  UNION ALL
  SELECT transport, min(ifnull(spray_suspect, 0)),
         max(requests > 0 OR responses > 0), max(payload_bytes > 0),
         max(goodput_bytes), max(bytes + 24 * packets), max(expected),
         max(lost_upstream + lost_downstream_min),
         max(lost_upstream + lost_downstream_max + unresolved),
         max(retransmitted), max(reordered), max(spurious), max(timeouts),
         max(nak_seq + implied_nak), max(rnr_nak), min(first_ns), max(last_ns),
         min(latency_min_ns), max(latency_max_ns),
         max(1.0 * latency_mean_ns * messages_completed),
         max(CASE WHEN latency_mean_ns IS NOT NULL
                  THEN messages_completed END)
    FROM flow /*scan*/
   WHERE (SELECT count(DISTINCT place) FROM tap) > 1
   GROUP BY transport, src, dst, dst_qp, spdcid, dpdcid, epoch)
SELECT transport, sprayed, numbered, carried, count(*) AS flows,
       sum(goodput) AS goodput, sum(wire) AS wire, sum(expected) AS expected,
       sum(lost_min) AS lost_min, sum(lost_max) AS lost_max,
       sum(again) AS again, sum(reordered) AS reordered,
       sum(spurious) AS spurious, sum(timeouts) AS timeouts,
       sum(naks) AS naks, sum(rnr) AS rnr, min(first_ns) AS first_ns,
       max(last_ns) AS last_ns, min(least) AS least, max(most) AS most,
       sum(latency) AS latency, sum(timed) AS timed
  FROM one
 GROUP BY transport, sprayed, numbered, carried;

-- Findings in any order.  It hides the final table, so that a rule which judges
-- the others reads these.
CREATE TEMP TABLE finding(
  rule TEXT,
  severity TEXT NOT NULL
    CHECK(severity IN ('critical', 'warning', 'info', 'exonerates')),
  confidence REAL,
  title TEXT NOT NULL,
  detail TEXT,
  action TEXT,
  tap_id INTEGER,
  flow_id INTEGER,
  first_ns INTEGER,
  last_ns INTEGER,
  cost_ns INTEGER,
  incident_id INTEGER,
  evidence TEXT
);

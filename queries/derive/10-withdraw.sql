-- Which taps see a sample of their packets (one in N), and which captures could
-- not keep up?  Nobody sends a NAK for what is missing, in all flows alike; of a
-- sample from the first packet on, of a capture that overran not at first.  One
-- packet in less than six may as well be one of several sprayed links, but where
-- packets come straight from their sender.
CREATE TEMP TABLE holey AS
SELECT tap_id, sum(missing) AS missing, sum(expected) AS expected,
       sum(iif(missing >= 0.05 * expected, expected, 0)) AS of_holey,
       sum(nak_seq) AS naks
  FROM (SELECT tap_id, expected, nak_seq,
               iif(spray_suspect, expected - min(requests, expected),
                   ifnull(capture_missing, 0) + ifnull(unresolved, 0))
                 AS missing
          FROM flow_brief /*scan*/
         WHERE expected > 1 AND goodput_bytes > 0 AND requests > 1
           AND NOT ifnull(spans_reads, 0))
 GROUP BY tap_id
HAVING sum(missing) >= 0.1 * sum(expected)
 LIMIT iif(EXISTS (SELECT 1 FROM flow_sum /*scan*/
                    WHERE sprayed OR capture_missing > 0 OR unresolved > 0),
           -1, 0);
CREATE INDEX temp.holey_by_tap ON holey(tap_id);
-- Who sends straight to a capture point, which is its own link, or sees what is
-- routed as well: up to eight hops less than hosts begin with.  The host has
-- several others to send to, so that its end of the link is known.  Asked here, and
-- where packets are out of order (15-mirror-order.sql).
CREATE TEMP TABLE straight(
  tap_id INTEGER, -- tap.id
  src TEXT,       -- flow.src
  PRIMARY KEY(tap_id, src)
) WITHOUT ROWID;
INSERT INTO straight
WITH f AS MATERIALIZED (
  SELECT tap_id, src, dst, count(*) AS n,
         max(ttl BETWEEN 24 AND 31 OR ttl BETWEEN 56 AND 63
             OR ttl BETWEEN 120 AND 127 OR ttl BETWEEN 247 AND 254)
           AS routed
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.holey)
                      OR EXISTS (SELECT 1 FROM flow_sum /*scan*/
                                  WHERE reordered > 0))
   CROSS JOIN flow_brief /*scan*/
   GROUP BY pair),
ends AS (
  SELECT tap_id, src AS address, dst AS other, n FROM f
   UNION ALL
  SELECT tap_id, dst, src, n FROM f),
t AS (
  SELECT tap_id, sum(n) AS n, max(routed) AS routed FROM f GROUP BY tap_id),
between_switches AS (
  SELECT t.id FROM tap t
    JOIN node a ON a.name = t.from_node AND a.kind = 'switch'
    JOIN node b ON b.name = t.to_node AND b.kind = 'switch')
SELECT e.tap_id, e.address
  FROM ends e
  JOIN t ON t.tap_id = e.tap_id
 WHERE e.tap_id NOT IN (SELECT id FROM between_switches)
 GROUP BY e.tap_id, e.address
HAVING min(e.other) < max(e.other) AND (t.routed OR sum(e.n) = t.n);
-- The first packet of a flow says nothing, as it is there in any case.
CREATE TEMP TABLE sent AS
SELECT * FROM (
  SELECT b.rowid AS id, f.id AS flow_id, f.tap_id, b.first_ns, b.last_ns,
         b.bytes, b.first_ns = f.first_ns AS is_first,
         b.psns - (b.first_ns = f.first_ns) AS psns,
         max(0, round(1.0 * b.bytes * f.requests / f.goodput_bytes)
                - (b.first_ns = f.first_ns)) AS captured
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.holey))
   CROSS JOIN burst b /*scan*/
    JOIN flow_brief f ON f.id = b.flow_id
   WHERE f.tap_id IN (SELECT tap_id FROM temp.holey))
 WHERE psns > 0;
CREATE INDEX temp.sent_of_flow ON sent(flow_id);
CREATE INDEX temp.sent_of_tap ON sent(tap_id);
CREATE TEMP TABLE thinned AS
WITH f AS MATERIALIZED (
  SELECT id, tap_id, expected - 1 AS span,
         max(0, requests - 1 - ifnull(retransmitted, 0) - ifnull(reordered, 0))
           AS steps,
         1.0 * goodput_bytes / requests AS load
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.holey))
   CROSS JOIN flow /*scan*/
   WHERE requests > 1 AND expected > 1 AND goodput_bytes > 0
     AND NOT ifnull(spans_reads, 0)
     AND (spray_suspect
          OR ifnull(capture_missing, 0) + ifnull(unresolved, 0)
             > 0.5 * expected)),
-- A tap with few packets is judged as all of them.
t AS MATERIALIZED (
  SELECT tap_id, sum(span) AS span,
         iif(sum(steps) >= 20, 1.0 * sum(span) / sum(steps),
             (SELECT 1.0 * sum(span) / sum(steps) FROM f
              HAVING sum(steps) >= 20)) AS one_in
    FROM f GROUP BY tap_id
  HAVING sum(span) >= 3 * sum(steps)),
all_of AS (
  SELECT tap_id, sum(expected) AS expected
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM t))
   CROSS JOIN flow_brief /*scan*/
   WHERE goodput_bytes > 0 AND requests > 1 AND NOT ifnull(spans_reads, 0)
   GROUP BY tap_id),
start AS (
  SELECT b.tap_id, b.bytes - f.load * b.is_first AS bytes,
         b.psns * f.load AS whole,
         sum(b.psns) OVER (PARTITION BY b.tap_id ORDER BY b.first_ns, b.id)
           AS psns
    FROM t
    JOIN f ON f.tap_id = t.tap_id
    JOIN temp.sent b ON b.flow_id = f.id)
SELECT t.tap_id, t.one_in,
       (SELECT sum(bytes) / sum(whole) FROM start s
         WHERE s.tap_id = t.tap_id AND s.psns < max(200, 10 * t.one_in)) AS first_share
  FROM t JOIN all_of a ON a.tap_id = t.tap_id
 WHERE t.span >= 0.5 * a.expected;
UPDATE tap
   SET overrun = CASE WHEN n.first_share > 0.4
                       AND n.first_share * n.one_in > 3 THEN 1 END,
       sampled_one_in = CASE WHEN n.one_in >= 6
                              AND ifnull(n.first_share * n.one_in < 3, 1)
                             THEN round(n.one_in, 2) END
  FROM temp.thinned n
 WHERE n.tap_id = tap.id;
-- A capture that overran is whole for longer than it could be by chance, with
-- as many holes a packet as it has later; then PSNs are missing in all flows.
WITH hole AS MATERIALIZED (
  SELECT h.tap_id, min(v.ns) AS ns, count(*) AS holes
    FROM event v /*scan*/
    JOIN temp.holey h ON h.tap_id = v.tap_id
   WHERE v.kind IN ('capture_missing', 'unresolved_gap')
     AND h.of_holey >= 0.9 * h.expected AND h.naks <= 0.01 * h.missing
   GROUP BY h.tap_id),
whole AS MATERIALIZED (
  SELECT e.tap_id, e.holes,
         sum(min(s.psns, s.captured) * min(1.0 * (e.ns - s.first_ns)
                            / max(s.last_ns - s.first_ns, 1), 1)) AS packets
    FROM hole e
    JOIN temp.sent s ON s.tap_id = e.tap_id AND s.first_ns < e.ns
   GROUP BY e.tap_id)
UPDATE tap SET overrun = 1
  FROM whole w
  JOIN temp.holey h ON h.tap_id = w.tap_id
 WHERE w.tap_id = tap.id AND tap.sampled_one_in IS NULL
   AND w.packets * w.holes / max(h.expected - h.missing - w.packets, w.holes)
       >= 20;
-- A sample is one everywhere alike: of what lies between two packets that were
-- copied, the variance is at most that of chance.  A mirror that drops bursts has
-- many times that.
CREATE TEMP TABLE even AS
WITH f AS MATERIALIZED (
  SELECT f.id, f.tap_id, f.expected - 1 AS span,
         max(0, f.requests - 1 - ifnull(f.retransmitted, 0)
                  - ifnull(f.reordered, 0)) AS steps,
         f.ttl IN (32, 64, 128, 255)
           AND EXISTS (SELECT 1 FROM temp.straight s
                        WHERE s.tap_id = f.tap_id AND s.src = f.src) AS direct
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.holey))
   CROSS JOIN flow f /*scan*/
   CROSS JOIN temp.holey h ON h.tap_id = f.tap_id
   CROSS JOIN tap t ON t.id = f.tap_id
   WHERE h.of_holey >= 0.9 * h.expected AND h.naks <= 0.01 * h.missing
     AND t.sampled_one_in IS NULL AND t.overrun IS NULL
     AND f.requests > 1 AND f.expected > 1 AND f.goodput_bytes > 0
     AND NOT ifnull(f.spans_reads, 0)),
t AS MATERIALIZED (
  SELECT tap_id, 1.0 * sum(span) / nullif(sum(steps), 0) AS one_in,
         1.0 * sum(iif(direct, span, 0))
           / nullif(sum(iif(direct, steps, 0)), 0)
           AS direct_one_in
    FROM f GROUP BY tap_id
  HAVING sum(steps) >= 20),
b AS (
  SELECT f.tap_id, f.id, s.first_ns, s.psns, max(1, s.captured) AS n
    FROM f
    JOIN temp.sent s ON s.flow_id = f.id),
-- About eight packets that were copied, of each flow.
some AS (
  SELECT tap_id, id, psns, n,
         CAST((sum(n) OVER (PARTITION BY id ORDER BY first_ns) - n) / 8
              AS INTEGER) AS nth
    FROM b),
eight AS MATERIALIZED (
  SELECT tap_id, sum(psns) AS psns, sum(n) AS n
    FROM some GROUP BY tap_id, id, nth)
-- What was retransmitted counts once, and not for many.
SELECT t.tap_id, t.one_in
  FROM eight b
  JOIN t ON t.tap_id = b.tap_id
 WHERE t.one_in >= 1.5 AND t.direct_one_in >= 1.5
 GROUP BY t.tap_id
HAVING count(*) >= 10
   AND avg(min(9, (b.psns - t.one_in * b.n) * (b.psns - t.one_in * b.n)
                    / (b.n * t.one_in * (t.one_in - 1)))) <= 2.5;
UPDATE tap
   SET sampled_one_in = round(e.one_in, 2)
  FROM temp.even e
 WHERE e.tap_id = tap.id;
DROP TABLE temp.even;
DROP TABLE temp.sent;
DROP TABLE temp.holey;
-- READ requests stand for many PSNs, so that flows of READs (spans_reads) do not
-- say it themselves.
CREATE TEMP TABLE some AS
SELECT round(avg(sampled_one_in), 2) AS one_in FROM tap
HAVING count(sampled_one_in) > 0;
UPDATE tap
   SET sampled_one_in = (SELECT one_in FROM temp.some)
 WHERE sampled_one_in IS NULL AND ifnull(overrun, 0) = 0
   AND id IN (SELECT tap_id FROM temp.some CROSS JOIN flow_brief /*scan*/)
   AND id NOT IN (SELECT tap_id FROM temp.some CROSS JOIN flow_brief /*scan*/
                   WHERE expected >= 20 AND requests > 0 AND goodput_bytes > 0
                     AND NOT ifnull(spans_reads, 0)
                     AND NOT spray_suspect
                     AND ifnull(capture_missing, 0)
                         + ifnull(unresolved, 0) < 0.5 * expected);
-- How many packets there were.  Of flows with PSNs that is known, but for what went
-- before the first and after the last that was copied, about one_in each.  So often
-- were packets copied, as flows that are much longer show: a flow is as long as the
-- way from its first copy to its last, and one_in more.  Retransmissions are steps
-- back and do not count.  All other packets, as ACKs, were copied as often, by
-- chance, and are known no better than by the square root of both counts.  Taps that
-- seem to be parallel links may have copied the same packets.
CREATE TEMP TABLE estimate AS
WITH f AS MATERIALIZED (
  SELECT t.id AS tap_id, f.expected - 1 AS span,
         max(0, f.requests - 1 - ifnull(f.retransmitted, 0)
                  - ifnull(f.reordered, 0)) AS steps
    FROM (SELECT 1 WHERE EXISTS
           (SELECT 1 FROM tap WHERE sampled_one_in IS NOT NULL))
   CROSS JOIN flow f /*scan*/
   CROSS JOIN tap t ON t.id = f.tap_id AND t.sampled_one_in IS NOT NULL
   WHERE f.requests > 1 AND f.goodput_bytes > 0
     AND f.expected >= 3 * t.sampled_one_in
     AND NOT ifnull(f.spans_reads, 0)),
s AS (
  SELECT tap_id, total(span) AS span, total(steps) - count(*) AS steps,
         count(*) AS flows
    FROM f GROUP BY tap_id
  HAVING total(steps) > count(*)),
-- A tap with few packets is judged as all of them.
whole AS (
  SELECT total(span) AS span, total(steps) AS steps FROM s)
SELECT t.id,
       coalesce(s.span / s.steps, iif(w.steps >= 20, w.span / w.steps, NULL),
                t.sampled_one_in) AS one_in,
       s.flows, coalesce(s.steps, w.steps, 0) AS steps,
       max(0, t.packets - ifnull(s.steps, 0)) AS others
  FROM tap t JOIN whole w
  LEFT JOIN s ON s.tap_id = t.id AND s.steps >= 20
 WHERE t.sampled_one_in IS NOT NULL;
CREATE TEMP TABLE beside AS
SELECT place, count(*) - 1 AS n FROM tap
 GROUP BY place HAVING count(*) > 1 AND count(half_of) = 0;
UPDATE tap
   SET sampled_one_in = round(e.one_in, 2),
       estimated_packets = CAST(round(tap.packets * e.one_in) AS INTEGER),
       estimated_packets_error =
         round(e.one_in * sqrt((1 - 1 / e.one_in)
                               * (e.others + e.others * e.others
                                             / max(e.steps, 20))
                               + ifnull(e.flows, 0)
                               + ifnull((SELECT n * n FROM temp.beside b
                                          WHERE b.place = tap.place), 0)
                                 * tap.packets * tap.packets), 1),
       mirror_duplicates = NULL, spray_suspect = 0
  FROM temp.estimate e
 WHERE e.id = tap.id;
DROP TABLE temp.beside;
DROP TABLE temp.estimate;
UPDATE tap SET spray_suspect = 0 WHERE overrun;
DROP TABLE temp.some;
DROP TABLE temp.thinned;

-- Of a sample nothing is missing: what is not here was not copied.
CREATE TEMP TABLE sampled AS
SELECT f.id AS flow_id
  FROM (SELECT 1 WHERE EXISTS
         (SELECT 1 FROM tap WHERE sampled_one_in IS NOT NULL))
 CROSS JOIN flow f /*scan*/
 WHERE f.tap_id IN (SELECT id FROM tap WHERE sampled_one_in IS NOT NULL);
DELETE FROM event
 WHERE flow_id IN (SELECT flow_id FROM temp.sampled)
   AND kind NOT IN ('nak_seq', 'nak_fatal', 'rnr_nak', 'trimmed', 'icrc_bad',
                    'response_error', 'epoch');
DELETE FROM recovery WHERE flow_id IN (SELECT flow_id FROM temp.sampled);
DELETE FROM judge_flow WHERE flow_id IN (SELECT flow_id FROM temp.sampled);
DELETE FROM unmatched
 WHERE flow_id IN (SELECT flow_id FROM temp.sampled)
    OR to_flow_id IN (SELECT flow_id FROM temp.sampled);
UPDATE segment
   SET lost = NULL, missed_to = NULL, missed_from = NULL, open = NULL,
       duplicated = NULL, reordered = NULL, displaced_max = NULL
 WHERE EXISTS (SELECT 1 FROM tap t
                WHERE t.sampled_one_in IS NOT NULL
                  AND t.id IN (segment.from_tap_id, segment.to_tap_id));
UPDATE flow
   SET lost_upstream = NULL, lost_downstream_min = NULL,
       lost_downstream_max = NULL, capture_missing = NULL, unresolved = NULL,
       corrupted = NULL, reordered = NULL, reorder_extent_max = NULL,
       reorder_late_ns_max = NULL, reorder_events = NULL,
       retransmitted = NULL, retransmitted_bytes = NULL, spurious = NULL,
       timeouts = NULL, implied_nak = NULL, duplicates = NULL, ack_lost = NULL,
       mirror_duplicates = NULL, credit_stalls = NULL, recoveries = NULL,
       recovery_ns = NULL, messages_incomplete = NULL, spray_suspect = 0,
       impaired = nak_seq + nak_fatal + rnr_nak + cnp + ce > 0
 WHERE id IN (SELECT flow_id FROM temp.sampled);
DROP TABLE temp.sampled;
UPDATE flow SET spray_suspect = 0
 WHERE id IN (SELECT f.id
                FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM tap WHERE overrun))
               CROSS JOIN flow f /*scan*/
               WHERE f.spray_suspect
                 AND f.tap_id IN (SELECT id FROM tap WHERE overrun));

-- What is withdrawn of flows that were seen through one of several links, which
-- is only known when all of them was: what asked for a copy, the original, or
-- the answer that made the copy needless, may have passed another link.
CREATE TEMP TABLE sprayed AS
SELECT f.id AS flow_id
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM flow_sum /*scan*/ WHERE sprayed))
 CROSS JOIN flow f /*scan*/
 WHERE f.spray_suspect;

CREATE TEMP TABLE sprayed_recovery AS
SELECT r.id FROM sprayed s /*scan*/ CROSS JOIN recovery r ON r.flow_id = s.flow_id;
CREATE TEMP TABLE sprayed_event AS
SELECT e.id FROM sprayed s /*scan*/ CROSS JOIN event e ON e.flow_id = s.flow_id;
UPDATE recovery SET trigger = 'unknown'
 WHERE id IN (SELECT id FROM sprayed_recovery) AND +trigger = 'timeout';
UPDATE recovery SET cause = 'unknown', lost_min = 0
 WHERE id IN (SELECT id FROM sprayed_recovery)
   AND +cause IN ('loss_upstream', 'loss_downstream', 'loss_or_reorder',
                  'ack_loss');
UPDATE event SET kind = 'retransmit_unknown'
 WHERE id IN (SELECT id FROM sprayed_event) AND +kind = 'retransmit_timeout';
DELETE FROM event
 WHERE id IN (SELECT id FROM sprayed_event)
   AND +kind IN ('loss_upstream', 'loss_downstream', 'ack_lost');

DROP TABLE sprayed_recovery;
DROP TABLE sprayed_event;
DROP TABLE sprayed;

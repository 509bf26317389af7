-- Was it the network?  One answer for the capture and one for each job, made
-- of where the time went: the shares of an answer add up to its time.

-- What each class is called where people read it, and which rules of
-- queries/findings report its cause.
CREATE TEMP TABLE answer_class(
  class TEXT,    -- answer_share.class
  measured TEXT, -- answer_share.measured; NULL: all others
  lost_to TEXT   -- "18 ms was lost to ..."
);
INSERT INTO temp.answer_class VALUES
  ('queueing', NULL, 'queueing behind other packets'),
  ('loss', NULL, 'packet loss and its recovery'),
  ('loss', 'trimming', 'trimmed packets and their retransmission'),
  ('loss', 'reordering', 'retransmissions after reordering'),
  ('loss', 'loss or reordering', 'packet loss or reordering and its recovery'),
  ('loss', 'ACKs lost or late', 'needless retransmissions after lost or late ACKs'),
  ('loss', 'timeouts', 'retransmission timeouts of unknown cause'),
  ('rate-cut', NULL, 'rates reduced after ECN CE marks'),
  ('pause', NULL, 'pauses'),
  ('host-late', NULL, 'a rank that began late'),
  ('host-receiver', NULL, 'a receiver that was not ready'),
  ('host-receiver', 'reordering', 'an adapter that reordered what it received'),
  ('host-receiver', 'ACKs later than of other hosts',
   'a receiver that takes up data more slowly than the others'),
  ('host-nic', NULL, 'a sender below the rate of its link'),
  ('host-nic', 'timers that are too short',
   'retransmission timeouts that nothing but the sender caused');
-- Without RNR NAKs it was late in another way.
UPDATE temp.answer_class SET lost_to = 'a receiver that was late with CTS or credit'
 WHERE class = 'host-receiver' AND measured IS NULL
   AND NOT EXISTS (SELECT 1 FROM flow /*scan*/ WHERE impaired = 1 AND rnr_nak > 0);

-- What an answer is about: the capture is 0 where it has no job.
CREATE TEMP TABLE subject AS
SELECT j.id AS job, min(j.first_ns, ifnull(min(p.first_ns), j.first_ns))
         AS first_ns,
       max(j.last_ns, ifnull(max(p.last_ns), j.last_ns)) AS last_ns,
       count(p.id) AS phases
  FROM job j /*scan*/
  LEFT JOIN phase p /*scan*/ ON p.job = j.id
 GROUP BY j.id
UNION ALL
SELECT 0, ifnull(min(first_ns), 0), ifnull(max(last_ns), 0), 0
  FROM capture
 WHERE packets > 0
HAVING NOT EXISTS (SELECT 1 FROM job);
CREATE INDEX temp.subject_by_job ON subject(job);

-- Hosts that paused, who did for longest first.
CREATE TEMP TABLE pausing_host AS
SELECT host, first_ns, last_ns FROM pause_sender
 WHERE role = 'host' AND NOT ignored
 ORDER BY paused_ns DESC, rowid;
-- Where the pauses began that stalled a flow.  A pause that a switch sends while a
-- host sends one too may come from that host.
CREATE TEMP TABLE pause_side AS
SELECT ifnull(s.near, h.flow_id) AS flow_id,
       ifnull(p.host, p.who || ifnull(
         (SELECT ' (' || f.src || ' > ' || f.dst || ')' FROM stalled_flow c
            JOIN flow f ON f.id = c.flow_id
           WHERE c.tap_id = h.tap_id AND c.source_mac = h.source_mac
             AND c.priority IS h.priority AND c.part = 'contributor'
           ORDER BY c.stalled_ns DESC, c.flow_id LIMIT 1), '')) AS root,
       CASE WHEN p.ignored THEN 'unknown'
            WHEN p.deadlock THEN 'network'
            WHEN p.role = 'host' THEN 'host'
            WHEN p.role = 'switch'
                 AND NOT EXISTS (SELECT 1 FROM job WHERE ranks_tapped < ranks)
                 AND NOT EXISTS (SELECT 1 FROM pause_sender o
                                  WHERE o.role = 'host'
                                    AND o.first_ns <= h.last_ns
                                    AND o.last_ns >= h.first_ns)
            THEN 'network' ELSE 'unknown' END AS side,
       p.full_flow,
       (SELECT o.host FROM temp.pausing_host o
         WHERE o.first_ns <= h.last_ns AND o.last_ns >= h.first_ns
         ORDER BY o.rowid LIMIT 1) AS host,
       max(h.stalled_ns) AS stalled_ns
  FROM stalled_flow h /*scan*/
  JOIN pause_sender p ON p.tap_id = h.tap_id AND p.source_mac = h.source_mac
               AND p.priority IS h.priority
  LEFT JOIN temp.phase_flow_same s ON s.flow_id = h.flow_id
 GROUP BY 1;
CREATE INDEX temp.pause_side_of ON pause_side(flow_id);

-- What is queued in a phase with pauses of a host is their doing, as far as that
-- may be: a port that was paused is behind for no longer than that, and what comes
-- then waits in other ports once more.
CREATE TEMP TABLE behind AS
WITH q AS MATERIALIZED (
  SELECT ifnull(phase_id, -job) AS id,
         total(time_ns) FILTER (WHERE class = 'queueing'
                                  AND measured <> 'link load') AS queued,
         total(time_ns) FILTER (WHERE class = 'pause' AND side = 'host') AS paused
    FROM phase_share /*scan*/
   GROUP BY 1)
SELECT id, min(1.0, 2 * paused / queued) AS part FROM q
 WHERE queued > 0 AND paused > 0;
CREATE INDEX temp.behind_by ON behind(id);
INSERT INTO phase_share(job, phase_id, gap, class, side, measured, flow_id,
                        rank, other_flow_id, time_ns)
SELECT s.job, s.phase_id, s.gap, 'pause', 'host', 'queues behind pauses',
       s.flow_id, s.rank, s.other_flow_id, CAST(s.time_ns * b.part AS INTEGER)
  FROM phase_share s /*scan*/
 CROSS JOIN temp.behind b ON b.id = ifnull(s.phase_id, -s.job)
 WHERE s.class = 'queueing' AND s.measured <> 'link load';
UPDATE phase_share AS s
   SET time_ns = s.time_ns - CAST(s.time_ns *
         (SELECT b.part FROM temp.behind b
           WHERE b.id = ifnull(s.phase_id, -s.job)) AS INTEGER)
 WHERE class = 'queueing' AND measured <> 'link load'
   AND ifnull(phase_id, -job) IN (SELECT id FROM temp.behind);
DROP TABLE temp.behind;

-- Who asks for data, or begins, as late as an RTO took of something that it had sent
-- or was sent waited for that: small messages, which only say that there is data
-- or that it has come, are not followed.
CREATE TEMP TABLE timed_out AS
SELECT f.dst AS host, r.first_ns, r.last_ns
  FROM recovery r /*scan*/
  JOIN flow f ON f.id = r.flow_id
 WHERE r.trigger = 'timeout' AND r.cause IS NOT 'collateral'
   AND NOT ifnull(r.remaining & hypothesis_bit('new_connection'), 0)
UNION ALL
SELECT f.src, r.first_ns, r.last_ns
  FROM recovery r /*scan*/
  JOIN flow f ON f.id = r.flow_id
 WHERE r.trigger = 'timeout' AND r.cause IS NOT 'collateral'
   AND NOT ifnull(r.remaining & hypothesis_bit('new_connection'), 0);
CREATE INDEX temp.timed_out_by ON timed_out(host, last_ns);
UPDATE phase_share AS s
   SET class = 'loss', side = 'network', measured = 'timeouts'
 WHERE class IN ('host-receiver', 'host-late')
   AND EXISTS (SELECT 1 FROM temp.timed_out)
   AND EXISTS
       (SELECT 1 FROM phase p
          JOIN temp.timed_out r
            ON r.host = iif(s.class = 'host-receiver',
                            (SELECT f.dst FROM flow f WHERE f.id = s.flow_id),
                            (SELECT k.address FROM job_rank k
                              WHERE k.job = s.job AND k.rank = s.rank))
           AND r.last_ns >= p.first_ns - ifnull(p.gap_ns, 0)
           AND r.last_ns <= p.last_ns
         WHERE p.id = s.phase_id
           AND s.time_ns >= 0.75 * (r.last_ns - r.first_ns)
           AND s.time_ns <= 1.25 * (r.last_ns - r.first_ns));
DROP TABLE temp.timed_out;

-- So many packets may be missing in the capture where it still shows when data
-- was sent and when it came.  Of packets that are missing one by one a stretch of
-- several has its first and its last all the same, but for one in fifty; where
-- stretches are single packets, or several packets in a row are missing, what looks
-- like silence may be that.
CREATE TEMP TABLE may_miss AS
SELECT iif(total(count) <= 2 * count(*)
             AND (SELECT sum(psns) >= 8 * sum(psns > 0) FROM burst /*scan*/
                   WHERE bytes > 512 * psns),
           0.01, 0.001) AS part
  FROM event WHERE kind = 'capture_missing';

-- Flows with data that has no PSNs of its own.
CREATE TEMP TABLE bare(
  flow_id INTEGER PRIMARY KEY -- flow.id
);
INSERT INTO temp.bare
SELECT DISTINCT flow_id FROM burst /*scan*/ WHERE bytes > 0 AND psns = 0;
-- What arrived when is found by counting packets at both capture points, by their
-- PSNs, or bytes where they have none of their own: where one of them misses
-- packets of the flow, a delay may as well be that.  It is known to, or has less of
-- the data than the other.
UPDATE phase_share
   SET class = 'unknown', side = 'unknown', measured = 'rest'
 WHERE measured IN ('one-way delay between taps', 'delay of data against ACKs')
   AND flow_id IN (SELECT m.near FROM temp.phase_flow_same m /*scan*/
                     JOIN flow f ON f.id = m.flow_id
                     JOIN temp.may_miss y
                    GROUP BY m.near
                   HAVING (max(f.capture_missing > 0.001 * f.expected)
                           OR min(f.goodput_bytes)
                              < 0.999 * max(f.goodput_bytes))
                      AND (max(f.capture_missing > y.part * f.expected)
                           OR min(f.goodput_bytes)
                              < (1 - y.part) * max(f.goodput_bytes)
                           OR m.near IN temp.bare));
DROP TABLE temp.bare;

-- A retransmission of what was not seen before is a sign of loss, unless the tap
-- misses packets: then it may be the first of which there is a copy.
UPDATE phase_share
   SET class = 'unknown', side = 'unknown', measured = 'rest'
 WHERE measured IN ('timeouts', 'loss or reordering')
   AND flow_id IN (SELECT m.near FROM temp.phase_flow_same m /*scan*/
                     JOIN flow f ON f.id = m.flow_id
                     JOIN coverage c ON c.tap_id = f.tap_id
                     JOIN tap t ON t.id = f.tap_id
                    WHERE c.capture_missing > 0.001 * c.checked
                       OR t.mirror_seq_lost
                          > 0.001 * (t.packets_roce + t.packets_uet));

-- Who waits until a rank asks that begins late again and again is not late, nor who
-- does for about as long as that rank is in the same phase.
UPDATE phase_share AS s
   SET rank = p.late_rank
  FROM phase p
  JOIN job_rank r ON r.job = p.job AND r.rank = p.late_rank
 WHERE p.id = s.phase_id AND (r.straggler OR p.late_ns >= 0.75 * s.time_ns) AND s.class = 'host-late' AND s.rank <> p.late_rank
   AND EXISTS (SELECT 1 FROM temp.phase_flow_in i
                WHERE i.near = s.flow_id AND i.dst = r.address AND i.driven);

-- Lateness inferred inside phases that is the same in nearly all of them may as
-- well be how the job works: only what comes on top is a host's.  But of one rank
-- among many that begin in time it is not, be it the same in all phases or another
-- in each, as where hosts collect garbage in turn: that of a phase began ten times
-- as late as a middle one varies, among three or more whose begins are seen.
CREATE TEMP TABLE straggler AS
SELECT p.id AS phase_id, r.rank
  FROM job_rank r
  JOIN phase p ON p.job = r.job
 WHERE r.straggler
UNION
SELECT p.id, p.late_rank
  FROM phase p /*scan*/
  JOIN (SELECT job, spread_ns AS ns, tapped, n,
               row_number() OVER (PARTITION BY job ORDER BY spread_ns) AS nth
          FROM (SELECT job, spread_ns, total(tapped) OVER w AS tapped,
                       count(spread_ns) OVER w AS n
                  FROM job_rank /*scan*/ WINDOW w AS (PARTITION BY job))
         WHERE spread_ns IS NOT NULL) v ON v.job = p.job
 WHERE v.nth = (v.n + 1) / 2 AND v.tapped > 3 AND p.late_ns >= 10 * v.ns;
CREATE INDEX temp.straggler_of ON straggler(phase_id, rank);
CREATE TEMP TABLE late AS
WITH l AS MATERIALIZED (
  SELECT s.phase_id, sum(s.time_ns) AS ns
    FROM phase_share s /*scan*/
   WHERE s.class = 'host-late' AND s.gap = 0 AND s.phase_id IS NOT NULL
     AND s.measured <> 'ranks that do the same'
     AND (s.phase_id, ifnull(s.rank, -1)) NOT IN temp.straggler
   GROUP BY s.phase_id),
n AS MATERIALIZED (
  SELECT p.id AS phase_id, p.job, ifnull(l.ns, 0) AS ns,
         row_number() OVER w AS nth, count(*) OVER (PARTITION BY p.job) AS n
    FROM phase p /*scan*/
    LEFT JOIN l ON l.phase_id = p.id
  WINDOW w AS (PARTITION BY p.job ORDER BY ifnull(l.ns, 0)))
SELECT n.phase_id, 1.0 * max(n.ns - u.ns, 0) / n.ns AS part
  FROM n
  JOIN n u ON u.job = n.job AND u.nth = (n.n + 3) / 4
 WHERE u.ns > 0 AND n.ns > 0;
CREATE INDEX temp.late_phase ON late(phase_id);
INSERT INTO phase_share(job, phase_id, gap, class, side, measured, flow_id,
                        rank, time_ns)
SELECT s.job, s.phase_id, 0, 'unknown', 'unknown', 'rest', s.flow_id, s.rank,
       s.time_ns - CAST(s.time_ns * l.part AS INTEGER)
  FROM phase_share s /*scan*/
  JOIN temp.late l ON l.phase_id = s.phase_id
 WHERE s.class = 'host-late' AND s.gap = 0
   AND s.measured <> 'ranks that do the same'
   AND (s.phase_id, ifnull(s.rank, -1)) NOT IN temp.straggler;
UPDATE phase_share AS s
   SET time_ns = CAST(s.time_ns * l.part AS INTEGER)
  FROM temp.late l
 WHERE l.phase_id = s.phase_id AND s.class = 'host-late' AND s.gap = 0
   AND s.measured <> 'ranks that do the same'
   AND (s.phase_id, ifnull(s.rank, -1)) NOT IN temp.straggler;
DELETE FROM phase_share WHERE time_ns = 0;
DROP TABLE temp.late;
DROP TABLE temp.straggler;

-- So may a rank that always computes longer than all others.
INSERT OR IGNORE INTO phase_ambiguity(job, classes, time_ns, why)
SELECT u.job, 'host-late|compute', CAST(sum(t.time_ns * u.part) AS INTEGER),
       max(u.why)
  FROM temp.uneven u /*scan*/
  JOIN phase_share t ON t.job = u.job AND t.rank = u.rank
                    AND t.class = 'compute' AND t.gap = 0
 GROUP BY u.job;
INSERT INTO phase_share(job, phase_id, gap, class, side, measured, flow_id,
                        rank, time_ns)
SELECT s.job, s.phase_id, s.gap, 'unknown', 'unknown', 'rest', s.flow_id, s.rank,
       CAST(s.time_ns * u.part AS INTEGER)
  FROM temp.uneven u
  JOIN phase_share s ON s.job = u.job AND s.rank = u.rank
 WHERE s.class = 'compute' AND s.gap = 0;
UPDATE phase_share AS s
   SET time_ns = s.time_ns - CAST(s.time_ns * u.part AS INTEGER)
  FROM temp.uneven u
 WHERE s.job = u.job AND s.rank = u.rank AND s.class = 'compute' AND s.gap = 0;
DROP TABLE temp.uneven;

CREATE TEMP TABLE rank_at AS SELECT address, job FROM job_rank;
CREATE INDEX temp.rank_at_by ON rank_at(address, job);
-- Where all ranks carry as much, none needs longer than the busiest: what more a
-- walk from link to link finds busy was none that all waited for, as where one of
-- two collectives that overlap is late.  Asked where nothing else was lost, and
-- there are no iterations to compare.
CREATE TEMP TABLE busier AS
WITH carried AS MATERIALIZED (
  SELECT r.job, r.address, total(f.goodput_bytes * i.wire) AS out_bytes, 0 AS in_bytes
    FROM temp.phase_flow_in i /*scan*/
    JOIN flow f ON f.id = i.near
   CROSS JOIN temp.rank_at r ON r.address = i.src
   GROUP BY r.job, r.address
  UNION ALL
  SELECT r.job, r.address, 0, total(f.goodput_bytes * i.wire)
    FROM temp.phase_flow_in i /*scan*/
    JOIN flow f ON f.id = i.near
   CROSS JOIN temp.rank_at r ON r.address = i.dst
   GROUP BY r.job, r.address),
each AS MATERIALIZED (
  SELECT c.job, c.address, max(sum(c.out_bytes), sum(c.in_bytes)) AS bytes,
         (SELECT min(t.speed_bps) FROM temp.phase_link k /*scan*/
            JOIN tap t ON t.id = k.tap_id WHERE k.address = c.address) AS bps
    FROM carried c GROUP BY c.job, c.address),
busy AS (
  SELECT e.job, max(e.bytes * 8e9 / e.bps) AS ns
    FROM each e
    JOIN job j ON j.id = e.job AND j.ranks = j.ranks_tapped
   GROUP BY e.job
  HAVING count(*) = count(e.bps) AND max(e.bytes) <= 1.1 * min(e.bytes)),
wire AS (
  SELECT job, total(time_ns) FILTER (WHERE class = 'wire'
                                       AND measured LIKE 'link load%') AS ns,
         total(time_ns) FILTER (WHERE side <> 'needed') AS lost_ns
    FROM phase_share /*scan*/
   GROUP BY job)
SELECT w.job, 1 - b.ns / w.ns AS part
  FROM wire w
  JOIN busy b ON b.job = w.job
  JOIN job j ON j.id = w.job
 WHERE w.ns - b.ns >= 0.05 * (j.last_ns - j.first_ns)
   AND w.lost_ns < 0.06 * (j.last_ns - j.first_ns) AND ifnull(j.phases, 0) = 0;
INSERT INTO phase_share(job, phase_id, gap, class, side, measured, flow_id,
                        rank, time_ns)
SELECT s.job, s.phase_id, s.gap, 'unknown', 'unknown', 'rest', s.flow_id, s.rank,
       CAST(s.time_ns * u.part AS INTEGER)
  FROM temp.busier u /*scan*/
  JOIN phase_share s ON s.job = u.job
 WHERE s.class = 'wire' AND s.measured LIKE 'link load%';
UPDATE phase_share AS s
   SET time_ns = s.time_ns - CAST(s.time_ns * u.part AS INTEGER)
  FROM temp.busier u
 WHERE s.job = u.job AND s.class = 'wire' AND s.measured LIKE 'link load%';
INSERT OR IGNORE INTO phase_ambiguity(job, classes, time_ns, why)
SELECT s.job, 'host-late|wire', sum(s.time_ns),
       'links of hosts were idle meanwhile: a rank may have begun late'
  FROM temp.busier u /*scan*/
  JOIN phase_share s ON s.job = u.job AND s.measured = 'rest'
 GROUP BY s.job;
DROP TABLE temp.busier;

-- Whose data a flow waited behind at the link of a host: of all others there
-- the flow that carried most.
CREATE TEMP TABLE in_the_way AS
WITH behind AS MATERIALIZED (
  SELECT DISTINCT s.job, s.flow_id, i.src, i.dst
    FROM phase_share s /*scan*/
    JOIN temp.phase_flow_in i ON i.near = s.flow_id
   WHERE s.class = 'queueing' AND s.measured = 'link load'),
any_behind AS (SELECT 1 WHERE EXISTS (SELECT 1 FROM behind)),
o AS (
  SELECT b.job, b.src AS host, 0 AS arrives, x.near
    FROM any_behind CROSS JOIN temp.phase_flow_in x
   CROSS JOIN (SELECT DISTINCT job, src FROM behind) b ON b.src = x.src
  UNION ALL
  SELECT b.job, b.dst, 1, x.near
    FROM any_behind CROSS JOIN temp.phase_flow_in x
   CROSS JOIN (SELECT DISTINCT job, dst FROM behind) b ON b.dst = x.dst),
most AS MATERIALIZED (
  SELECT o.job, o.host, o.arrives, o.near, max(f.goodput_bytes) AS bytes
    FROM o
    JOIN flow f ON f.id = o.near
   WHERE (o.job, f.src) NOT IN (SELECT job, address FROM job_rank)
      OR (o.job, f.dst) NOT IN (SELECT job, address FROM job_rank)
   GROUP BY o.job, o.host, o.arrives)
SELECT b.job, b.flow_id, m.near AS other, max(m.bytes)
  FROM behind b
  JOIN (SELECT 0 AS arrives UNION ALL SELECT 1) e
  JOIN most m ON m.job = b.job AND m.arrives = e.arrives
             AND m.host = iif(e.arrives, b.dst, b.src)
 GROUP BY b.job, b.flow_id;
CREATE INDEX temp.in_the_way_of ON in_the_way(flow_id);
UPDATE phase_share AS s
   SET other_flow_id = w.other
  FROM temp.in_the_way w
 WHERE w.job = s.job AND w.flow_id = s.flow_id
   AND s.class = 'queueing' AND s.measured = 'link load';
DROP TABLE temp.in_the_way;

-- The time of each subject by cause.
CREATE TEMP TABLE part(
  job INTEGER, -- subject.job
  class TEXT, side TEXT, measured TEXT, flow_id INTEGER, rank INTEGER,
  other_flow_id INTEGER, -- as in phase_share
  ns INTEGER,  -- length
  answer_id INTEGER -- answer.id of an iteration; NULL of all of the job
);
INSERT INTO temp.part
SELECT job, class, side, measured, flow_id, rank, other_flow_id, sum(time_ns),
       NULL
  FROM phase_share /*scan*/
 GROUP BY job, class, side, measured, flow_id, rank, other_flow_id;
CREATE INDEX temp.part_by_job ON part(job);

-- What lies between phases is computation; phases that overlap have their
-- parts of the time.
CREATE TEMP TABLE subject_sum AS
SELECT u.job, u.phases, ifnull(u.last_ns - u.first_ns, 0) AS total_ns,
       CAST(total(p.ns) AS INTEGER) AS parts_ns
  FROM temp.subject u
  LEFT JOIN temp.part p ON p.job = u.job
 GROUP BY u.job;
UPDATE temp.part AS p
   SET ns = max(CAST(1.0 * ns * s.total_ns / s.parts_ns AS INTEGER) - 1, 0)
  FROM temp.subject_sum s
 WHERE s.job = p.job AND s.parts_ns > s.total_ns;
INSERT INTO temp.part(job, class, side, measured, ns)
SELECT job, iif(rest, 'unknown', 'compute'), iif(rest, 'unknown', 'needed'),
       iif(rest, 'rest', 'silence'),
       total_ns - (SELECT CAST(total(ns) AS INTEGER)
                     FROM temp.part p WHERE p.job = s.job)
  FROM (SELECT *, phases = 0 OR parts_ns > total_ns AS rest
          FROM temp.subject_sum) s;
DELETE FROM temp.part WHERE ns <= 0;

INSERT INTO answer(id, scope, job, total_ns, excess_ns, network_ns, host_ns,
                   unknown_ns)
SELECT 1 + s.job, iif(s.job = 0, 'capture', 'job'), nullif(s.job, 0),
       s.total_ns, 0, 0, 0, 0
  FROM temp.subject_sum s;
INSERT INTO answer(id, scope, total_ns, excess_ns, network_ns, host_ns,
                   unknown_ns)
SELECT 1, 'capture', ifnull(sum(total_ns), 0), 0, 0, 0, 0 FROM answer
 WHERE scope = 'job'
HAVING NOT EXISTS (SELECT 1 FROM answer WHERE id = 1);

-- Iterations that took longer than most of their job, the longest ten of each,
-- of those that are in the capture as a whole.
CREATE TEMP TABLE slow AS
WITH i AS (
  SELECT p.job, p.iteration, sum(s.time_ns) AS ns
    FROM phase_share s /*scan*/
    JOIN phase p ON p.id = s.phase_id
   WHERE p.iteration IS NOT NULL
   GROUP BY p.job, p.iteration
  HAVING NOT max(p.cut)),
n AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY job ORDER BY ns, iteration) AS nth,
         count(*) OVER (PARTITION BY job) AS n
    FROM i)
SELECT (SELECT max(id) FROM answer)
         + row_number() OVER (ORDER BY n.job, n.iteration) AS id,
       n.job, n.iteration, n.ns
  FROM n
  JOIN n m ON m.job = n.job AND m.nth = (n.n + 1) / 2
 WHERE n.n >= 5 AND n.ns > 1.1 * m.ns AND n.n - n.nth < 10;
CREATE INDEX temp.slow_by_iteration ON slow(job, iteration);
INSERT INTO temp.part
SELECT s.job, class, side, measured, flow_id, rank, other_flow_id,
       sum(time_ns), w.id
  FROM phase_share s /*scan*/
  JOIN phase p ON p.id = s.phase_id
  JOIN temp.slow w ON w.job = p.job AND w.iteration = p.iteration
 GROUP BY w.id, class, side, measured, flow_id, rank, other_flow_id;
CREATE INDEX temp.part_by_answer ON part(answer_id);
INSERT INTO answer(id, scope, job, iteration, total_ns, excess_ns, network_ns,
                   host_ns, unknown_ns)
SELECT id, 'iteration', job, iteration, ns, 0, 0, 0, 0
  FROM temp.slow;
DROP TABLE temp.slow;

INSERT INTO answer_share(answer_id, class, side, ns, measured)
WITH s AS (
  SELECT ifnull(answer_id, 1 + job) AS id, class, side, measured,
         sum(ns) AS ns,
         sum(sum(ns)) OVER of_class AS all_ns,
         row_number() OVER (of_class ORDER BY sum(ns) DESC, measured) AS nth
    FROM temp.part
   GROUP BY 1, class, side, measured
  WINDOW of_class AS (PARTITION BY ifnull(answer_id, 1 + job), class, side)),
w AS (
  SELECT class, side, measured, sum(ns) AS ns,
         sum(sum(ns)) OVER (PARTITION BY class, side) AS all_ns,
         row_number() OVER (PARTITION BY class, side
                            ORDER BY sum(ns) DESC, measured) AS nth
    FROM temp.part WHERE answer_id IS NULL GROUP BY class, side, measured)
SELECT id, class, side, all_ns, measured FROM s WHERE nth = 1 AND id > 1
UNION ALL
SELECT 1, class, side, all_ns, measured FROM w WHERE nth = 1;

UPDATE answer AS a
   SET (network_ns, host_ns, unknown_ns) =
       (SELECT CAST(total(ns) FILTER (WHERE side = 'network') AS INTEGER),
               CAST(total(ns) FILTER (WHERE side = 'host') AS INTEGER),
               CAST(total(ns) FILTER (WHERE side = 'unknown') AS INTEGER)
          FROM answer_share s WHERE s.answer_id = a.id);
UPDATE answer
   SET excess_ns = network_ns + host_ns,
       cause = (SELECT class FROM answer_share s
                 WHERE s.answer_id = answer.id
                   AND s.side IN ('network', 'host')
                   AND answer.network_ns + answer.host_ns
                       >= 0.02 * answer.total_ns
                 ORDER BY s.ns DESC, class LIMIT 1);

-- By the few flows that are asked about: otherwise all flows are put in order of
-- their senders.
-- What the verdicts rest on.
CREATE TEMP TABLE ground AS
WITH c AS (
  SELECT total(checked) AS checked, total(capture_missing) AS missing,
         total(flows_sprayed) AS sprayed, max(low_confidence) AS low,
         -- Holes too many to follow, as of READ responses.
         (SELECT total(unresolved) FROM flow_sum /*scan*/) AS unclear
    FROM coverage),
y AS (SELECT part FROM temp.may_miss),
t AS (
  SELECT total(packets_roce) + total(packets_uet) AS packets,
         total(mirror_seq_lost) AS not_copied,
         (SELECT sum(packets) FROM tss) AS hidden,
         avg(sampled_one_in) AS one_in, max(overrun) AS overrun
    FROM tap),
-- The link of a host, of known speed, that carried data all the while explains
-- the time by itself.  Any other may be thinner than those of the hosts.
loaded AS (
  SELECT ifnull(answer_id, 1 + job) AS id, sum(ns) AS ns FROM temp.part
   WHERE class = 'wire' AND measured LIKE 'link load%' AND NOT EXISTS
         (SELECT 1 FROM tap WHERE speed_bps IS NULL)
   GROUP BY 1),
-- How long nobody sent: without iterations it is not known whether somebody
-- computed then, or waited for what the network or a host held back.
silent AS (
  SELECT ifnull(answer_id, 1 + job) AS id, sum(ns) AS ns FROM temp.part
   WHERE class = 'compute' AND measured = 'silence'
   GROUP BY 1),
-- Where no host both sends and receives, none waits for another to begin.
both_ways AS (
  SELECT DISTINCT job FROM job_rank
   WHERE bytes_out > 0 AND bytes_in > 0),
-- What flows waited for that nobody walked along: of a job without iterations
-- one flow is followed, the last to arrive.
aside AS (
  SELECT job, count(DISTINCT flow_id) AS flows, max(ns) AS ns
    FROM (SELECT r.job, h.flow_id, h.ns
            FROM (SELECT flow_id, sum(last_ns - first_ns) AS ns
                    FROM recovery /*scan*/
                   GROUP BY flow_id) h
           CROSS JOIN flow f ON f.id = h.flow_id
           CROSS JOIN temp.rank_at r ON r.address = f.src
            LEFT JOIN temp.phase_flow_same m ON m.flow_id = h.flow_id
           WHERE ifnull(m.near, h.flow_id) NOT IN
                 (SELECT flow_id FROM phase_share /*scan*/
                   WHERE flow_id IS NOT NULL))
   WHERE ns > 0
   GROUP BY job),
-- What ended in an error costs time that no packet shows.
broken AS (
  SELECT r.job, f.src || ' > ' || f.dst AS who, min(f.id)
    FROM flow f
   CROSS JOIN temp.rank_at r ON r.address = f.src
   WHERE f.impaired = 1 AND f.nak_fatal > 0
   GROUP BY r.job),
-- Where the packets of a capture point are not in the order of time, nothing that
-- took less than the step back is known; as soon as it could make a verdict.
back AS (
  SELECT u.job, u.last_ns - u.first_ns AS total_ns, t.name,
         max(t.back_from_ns - t.back_to_ns) AS ns
    FROM tap t /*scan*/
   CROSS JOIN temp.subject u
   WHERE t.back_from_ns >= u.first_ns AND t.back_to_ns <= u.last_ns
     AND t.id NOT IN (SELECT tap_id FROM clock WHERE applied AND part > 1)
   GROUP BY u.job),
-- What passes the links of both its hosts is seen at two places, and neither is
-- behind a router.
halfway AS (
  SELECT r.job FROM temp.phase_flow_in i /*scan*/
   CROSS JOIN temp.rank_at r ON r.address = i.src
   WHERE i.near = i.far),
off_link AS (
  SELECT job FROM temp.rank_at /*scan*/
   WHERE address NOT IN (SELECT address FROM temp.phase_link /*scan*/)),
-- Who was late more often than others, or more than once, whether all waited for
-- that or not.
stragglers AS (
  SELECT job, address, late_phases, max(late_ns) AS late_ns FROM job_rank
   WHERE straggler OR late_phases > 1 GROUP BY job)
SELECT a.id,
       CASE WHEN t.hidden >= 0.5 * t.packets
            THEN plural(t.hidden, 'packet')
                 || ' of Ultra Ethernet are encrypted (TSS)'
            WHEN t.one_in IS NOT NULL
            THEN 'the mirror copies only about one packet in '
                 || CAST(round(t.one_in) AS INTEGER)
            WHEN t.overrun
            THEN 'the capture overran and misses many packets'
            WHEN c.missing > 0.05 * c.checked
            THEN human_share(c.missing / c.checked)
                 || ' of the packets were not captured'
            WHEN c.missing + c.unclear > 0.05 * c.checked
            THEN human_share((c.missing + c.unclear) / c.checked)
                 || ' of the packets are missing in the capture'
            WHEN b.ns >= 0.02 * max(a.total_ns, b.total_ns)
            THEN 'the timestamps of ' || b.name || ' go back by '
                 || human_ns(b.ns)
            WHEN t.packets < 100
            THEN iif(t.packets > 0,
                     'only ' || plural(CAST(t.packets AS INTEGER), 'packet'),
                     'no packet')
                 || ' of RoCE or Ultra Ethernet in the capture' END AS few,
       t.packets < 100 AND a.job IS NULL AS nothing_to_measure,
       c.low,
       c.missing > y.part * c.checked
         OR t.not_copied > y.part * t.packets AS patchy,
       CASE WHEN c.missing > y.part * c.checked
            THEN human_share(c.missing / c.checked)
                 || ' of the packets were not captured'
            WHEN t.not_copied > y.part * t.packets
            THEN 'the mirror lost ' || human_share(
                 t.not_copied / (t.packets + t.not_copied)) || ' of its copies'
            WHEN c.sprayed > 0
            THEN plural(CAST(c.sprayed AS INTEGER), 'flow')
                 || ' are captured only in part (a sample, or other links carry '
                 || 'the rest)'
            WHEN j.whole = 0
            THEN 'only a part of the job''s time was analyzed'
            WHEN e.job IS NOT NULL
            THEN e.who || ' ended in an error (NAK), and what that cost is not '
                 || 'known'
            WHEN w.ns >= 0.94 * a.total_ns AND j.ranks_tapped > 0 THEN NULL
            WHEN ifnull(j.phases, 0) = 0 AND d.ns >= 0.06 * a.total_ns
            THEN plural(d.flows, 'flow') || ' waited up to '
                 || human_ns(d.ns) || ' for retransmissions, and what '
                 || 'that cost the job is not known'
            -- Half of that on average, beside what was found where that is
            -- nothing to speak of.
            WHEN j.stamp_ns >= 0.12 * a.total_ns
                 - 2 * (SELECT total(s.ns) * (total(s.ns) < 0.02 * a.total_ns)
                          FROM answer_share s
                         WHERE s.answer_id = a.id
                           AND s.side IN ('network', 'host'))
            THEN ifnull((SELECT 'mirrors reorder packets by up to '
                                || human_ns(max(disorder_ns))
                                || ', too much' FROM tap
                         HAVING max(disorder_ns)
                                > max(1000, ifnull(max(stamp_step_ns), 0))),
                   'time stamps in '
                   || ifnull((SELECT 'steps of '
                                     || human_ns(max(stamp_step_ns)) FROM tap
                               WHERE stamp_step_ns > 1000), 'microseconds')
                   || ' are too coarse')
                 || ' for its short steps'
            WHEN k.late_ns >= 0.02 * a.total_ns
            THEN k.address || ' began late in ' || plural(k.late_phases, 'phase')
                 || iif((SELECT total(s.ns) FROM answer_share s
                          WHERE s.answer_id = a.id AND s.class = 'host-late')
                        < 0.5 * k.late_ns,
                        ', and what that cost is not known',
                        ', which hides what was queued meanwhile')
            -- Two that take turns, and compute about as long each time, hide no
            -- wait: there is nothing else that they could wait for.
            WHEN ifnull(j.phases, 0) = 0
             AND (y.job IS NOT NULL OR i.ns >= 0.06 * a.total_ns)
             AND (j.ranks <> 2
                  OR ifnull(j.uneven_ns, a.total_ns) >= 0.02 * a.total_ns)
            THEN 'no iterations were identified (' || j.why_not || ')'
            WHEN j.phases BETWEEN 1 AND 2 AND y.job IS NOT NULL
            THEN 'only ' || plural(j.phases, 'phase')
                 || ' of communication to compare'
            WHEN j.ranks_tapped < j.ranks
            THEN iif(j.ranks - j.ranks_tapped > 1,
                     'the links of ' || (j.ranks - j.ranks_tapped)
                       || ' hosts are not captured (begin with that of ',
                     'the link of one host is not captured (')
                 || (SELECT address FROM job_rank r
                      WHERE r.job = j.id AND NOT r.tapped
                      ORDER BY r.rank LIMIT 1) || ')'
            WHEN j.id IS NOT NULL AND (j.id IN off_link OR j.id IN halfway)
            THEN 'queues are observable only between captured links (capture '
                 || 'at the link of every host)'
            END AS weak,
       -- A receiver that packets point to, and what else it may have been.
       (SELECT d.why FROM phase_ambiguity d
         WHERE d.job = j.id AND 2 * d.time_ns >= a.unknown_ns
           AND d.classes IN ('host-receiver|loss', 'loss|host-receiver',
                             'host-receiver|pause|queueing')
         ORDER BY d.time_ns DESC, d.classes LIMIT 1) AS named,
       coalesce(iif(c.missing > 0.001 * c.checked,
                    human_share(c.missing / c.checked)
                      || ' of the packets were not captured', NULL),
                (SELECT d.why FROM phase_ambiguity d WHERE d.job = j.id
                  ORDER BY d.time_ns DESC, d.classes LIMIT 1),
                'no job was recognized') AS why,
       ifnull(j.phases, 0) AS phases
  FROM answer a
  LEFT JOIN job j ON j.id = a.job
  LEFT JOIN loaded w ON w.id = a.id
  LEFT JOIN silent i ON i.id = a.id
  LEFT JOIN both_ways y ON y.job = a.job
  LEFT JOIN stragglers k ON k.job = a.job AND a.scope = 'job'
  LEFT JOIN broken e ON e.job = a.job
  LEFT JOIN aside d ON d.job = a.job
  LEFT JOIN back b ON b.job = ifnull(a.job, (SELECT job FROM back
                                              ORDER BY ns DESC LIMIT 1))
  JOIN c JOIN t JOIN y;

-- Frames that report their cause are direct evidence, and so is data of others
-- on the link of a host.  What is inferred from delays and silence alone has an
-- error of some percent, may have the same cause as what is direct, and decides
-- nothing against itself.
-- That a rank began late is seen twice where it is late against the others of its
-- phase as well as on the path, and is no consequence of the network where neither
-- that phase nor the one before lost a tenth as much to anything else: that is
-- evidence of its own.
-- NICs of a server are one: each stands for the first of them.
CREATE TEMP TABLE rank_node AS
SELECT job, rank, address, server,
       min(rank) OVER (PARTITION BY job, ifnull(server, rank)) AS node
  FROM job_rank /*scan*/;
CREATE INDEX temp.rank_node_by ON rank_node(job, rank);
CREATE TEMP TABLE apart(
  kind TEXT, -- late: twice; queued: alike
  job INTEGER, iteration INTEGER, -- as in phase
  ns INTEGER -- length
);
INSERT INTO temp.apart
WITH s AS MATERIALIZED (
  SELECT p.id, p.job, p.iteration, p.late_rank, p.late_ns,
         total(s.time_ns) FILTER (WHERE s.class = 'host-late') AS ns,
         total(s.time_ns) FILTER (WHERE s.class = 'host-late'
                                    AND n.node = l.node) AS by_rank,
         total(s.time_ns) FILTER (WHERE s.side IN ('network', 'unknown'))
           AS other
    FROM phase_share s /*scan*/
    JOIN phase p ON p.id = s.phase_id
    LEFT JOIN temp.rank_node n ON n.job = s.job AND n.rank = s.rank
    LEFT JOIN temp.rank_node l ON l.job = p.job AND l.rank = p.late_rank
   GROUP BY p.id),
b AS MATERIALIZED (
  SELECT *, max(other) OVER (PARTITION BY job ORDER BY id
                             RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)
              < 0.1 * ns AS alone
    FROM s)
SELECT 'late', job, iteration,
       iif(alone, ns, ifnull(min(by_rank, late_ns), 0))
  FROM b WHERE ns > 0;
-- What the job's data waits for in nearly every phase alike no late rank hides:
-- the lower quartile of its phases.
INSERT INTO temp.apart
WITH q AS MATERIALIZED (
  SELECT phase_id, sum(time_ns) AS ns
    FROM phase_share /*scan*/
   WHERE class = 'queueing' AND side = 'network' AND measured <> 'link load'
   GROUP BY phase_id),
n AS MATERIALIZED (
  SELECT p.job, p.iteration, ifnull(q.ns, 0) AS ns,
         row_number() OVER (PARTITION BY p.job ORDER BY q.ns) AS nth,
         count(*) OVER (PARTITION BY p.job) AS n
    FROM phase p /*scan*/
    LEFT JOIN q ON q.phase_id = p.id
   WHERE EXISTS (SELECT 1 FROM q)),
usual AS MATERIALIZED (
  SELECT job, ns FROM n WHERE nth = (n + 3) / 4)
SELECT 'queued', n.job, n.iteration, min(n.ns, u.ns)
  FROM n JOIN usual u ON u.job = n.job;
CREATE TEMP TABLE apart_sum(
  id INTEGER, -- answer.id
  kind TEXT, ns INTEGER, -- as in apart; else as phase_share.measured
  PRIMARY KEY(id, kind)
) WITHOUT ROWID;
INSERT INTO temp.apart_sum
WITH of_iteration AS MATERIALIZED (
  SELECT kind, job, iteration, total(ns) AS ns
    FROM temp.apart GROUP BY kind, job, iteration),
of_job AS MATERIALIZED (
  SELECT kind, job, total(ns) AS ns FROM temp.apart GROUP BY kind, job)
SELECT a.id, l.kind, l.ns FROM answer a /*scan*/
  JOIN of_job l ON l.job = a.job
 WHERE a.iteration IS NULL
UNION ALL
SELECT a.id, l.kind, l.ns FROM answer a /*scan*/
  JOIN of_iteration l ON l.job = a.job AND l.iteration = a.iteration
 WHERE a.iteration IS NOT NULL;
INSERT INTO temp.apart_sum
SELECT ifnull(answer_id, 1 + job), measured, sum(ns) FROM temp.part /*scan*/
 WHERE measured IN ('losses behind the receiver''s link',
                    'idle link of the receiver', 'queues behind pauses')
 GROUP BY 1, 2;
CREATE TEMP TABLE side_sum AS
SELECT answer_id AS id,
       ifnull((SELECT ns FROM temp.apart_sum
                WHERE id = answer_id AND kind = 'queued'), 0) AS queued_alike,
       ifnull((SELECT ns FROM temp.apart_sum
                WHERE id = answer_id AND kind = 'late'), 0) AS late,
       total(ns) FILTER (WHERE side = 'network' AND direct) AS network,
       total(ns) FILTER (WHERE side = 'host' AND direct) - p.behind_ns AS host,
       -- A sender that is always slower than the others is no consequence of a
       -- loss; of pauses it may be, where these cost more.
       iif(total(ns) FILTER (WHERE class = 'pause' AND side = 'network')
             < total(ns) FILTER (WHERE class = 'host-nic'),
           total(ns) FILTER (WHERE class = 'host-nic'), 0) AS nic,
       total(ns) FILTER (WHERE side = 'network' AND class = 'queueing')
         AS queued,
       -- Data of others may be in the way because of a host's pauses, too.
       min(total(ns) FILTER (WHERE class = 'queueing'
                               AND measured = 'link load'),
           2 * (total(ns) FILTER (WHERE side = 'host' AND class = 'pause')
                - p.behind_ns)) AS behind_pauses,
       ifnull((SELECT ns FROM temp.apart_sum
                WHERE id = answer_id
                  AND kind = 'losses behind the receiver''s link'), 0)
         AS behind_link,
       -- Lost by somebody, though nobody knows whom.
       ifnull((SELECT total(ns) FROM temp.apart_sum
                WHERE id = answer_id
                  AND kind IN ('losses behind the receiver''s link',
                               'idle link of the receiver')), 0) AS either
  FROM (SELECT *, class IN ('loss', 'pause', 'rate-cut', 'host-receiver')
                    OR class = 'queueing' AND measured = 'link load' AS direct
          FROM answer_share)
  JOIN (SELECT a.id, ifnull(s.ns, 0) AS behind_ns FROM answer a /*scan*/
          LEFT JOIN temp.apart_sum s ON s.id = a.id
                                    AND s.kind = 'queues behind pauses') p
    ON p.id = answer_id
 GROUP BY answer_id;
UPDATE answer AS a
   SET verdict =
       CASE WHEN g.few IS NOT NULL OR total_ns < 10000 THEN 'undetermined'
            WHEN excess_ns < 0.02 * total_ns
            THEN iif(excess_ns + unknown_ns < 0.06 * total_ns
                       AND excess_ns + d.either < 0.02 * total_ns
                       AND g.weak IS NULL,
                     'nothing-wrong', 'undetermined')
            -- No more than computing and time stamps vary by.
            WHEN excess_ns + unknown_ns < 0.04 * total_ns AND g.weak IS NULL
             AND d.network + d.host + d.either < 0.01 * total_ns
             AND network_ns < 0.01 * total_ns
            THEN 'nothing-wrong'
            -- Without iterations one flow is followed, and all that it waited for
            -- counts: the job may have waited for something else meanwhile.
            WHEN unknown_ns > iif(g.phases = 0, 1, 2) * excess_ns
              OR (excess_ns < iif(d.late >= 0.04 * total_ns, 0.06, 0.08)
                               * total_ns
                  AND d.network + d.host < 0.02 * total_ns)
            THEN 'undetermined'
            WHEN d.host >= 0.2 * excess_ns
             AND network_ns - d.behind_pauses >= 0.2 * excess_ns THEN 'both'
            -- What a loss cost beside a host that is late may be little: others
            -- waited for that host meanwhile.
            WHEN d.network >= 0.2 * excess_ns
            THEN CASE WHEN max(d.late, d.nic)
                           >= max(0.2 * excess_ns, 0.02 * total_ns)
                      THEN 'both'
                      WHEN d.host >= 0.2 * excess_ns AND d.behind_pauses > 0
                      THEN 'undetermined'
                      WHEN host_ns >= 1.5 * network_ns THEN 'undetermined'
                      ELSE 'network' END
            -- A queue that is there in every phase, and a host that is late against
            -- the others as well as on the path, do not come from each other.
            WHEN d.queued_alike >= max(0.2 * excess_ns, 0.02 * total_ns)
             AND d.late >= max(0.2 * excess_ns, 0.02 * total_ns)
             AND NOT g.patchy
            THEN 'both'
            WHEN network_ns >= 0.2 * excess_ns
            THEN iif((host_ns < 0.2 * excess_ns
                        AND host_ns + unknown_ns < 0.5 * excess_ns)
                     OR (network_ns >= 0.1 * total_ns
                         AND network_ns >= 2 * (host_ns + unknown_ns)),
                     'network', 'undetermined')
            WHEN network_ns + unknown_ns < 0.34 * (excess_ns + unknown_ns)
            -- Nor may what a queue cost beside one be all that it would have, and
            -- what a cable may have lost is no host's before that is known.
            THEN iif(g.patchy AND d.host < 0.2 * excess_ns
                       OR d.behind_link >= 0.1 * (excess_ns + d.behind_link)
                       OR (d.host < 0.5 * excess_ns AND
                           d.queued - d.queued_alike >= 0.1 * excess_ns),
                     'undetermined', 'host')
            ELSE 'undetermined' END
  FROM temp.ground g
  LEFT JOIN temp.side_sum d ON d.id = g.id
 WHERE g.id = a.id AND (a.scope <> 'capture' OR a.id IN
                        (SELECT 1 + job FROM temp.subject));
-- The capture has what its jobs have.  Undetermined jobs that do not count: of
-- next to no bytes; transfers of a storage target, or in one direction beside a
-- job with iterations; and, beside a job that suffers from a host, one that does
-- not seem to have suffered from the network.
UPDATE answer
   SET verdict =
       (WITH storage AS MATERIALIZED (
          SELECT r.job
            FROM storage_flow s /*scan*/
            JOIN temp.rank_at r ON r.address = s.target),
        v AS (
          SELECT b.verdict, j.bytes >= 0.01 * max(j.bytes) OVER ()
                   AND (j.iterations > 0
                        OR (j.id NOT IN storage
                            AND (NOT EXISTS (SELECT 1 FROM job
                                              WHERE iterations > 0)
                                 OR EXISTS (SELECT 1 FROM job_rank r
                                             WHERE r.job = j.id
                                               AND r.bytes_out > 0
                                               AND r.bytes_in > 0))))
                   AS counts,
                 b.network_ns >= 0.02 * b.total_ns AS suspect
            FROM answer b JOIN job j ON j.id = b.job WHERE b.scope = 'job')
        SELECT CASE
          WHEN total(verdict IN ('network', 'both'))
               AND total(verdict IN ('host', 'both')) THEN 'both'
          WHEN total(verdict = 'network') THEN 'network'
          WHEN total(verdict = 'host')
               AND NOT total(verdict = 'undetermined' AND counts AND suspect)
          THEN 'host'
          WHEN count(*) = 0 OR total(verdict = 'undetermined' AND counts)
          THEN 'undetermined'
          WHEN total(verdict = 'nothing-wrong') THEN 'nothing-wrong'
          ELSE 'undetermined' END FROM v)
 WHERE scope = 'capture' AND verdict IS NULL;

-- Less unknown: surer, and who is named is more likely than not.  What rests on the comparison of phases, and not on
-- frames that say it, needs some of them; and where so many packets were not
-- captured that coverage itself is unsure, a loss may be one of these.
UPDATE answer AS a
   SET confidence =
       round(max(iif(verdict = 'undetermined', 0.05, 0.5), min(0.95,
         CASE verdict
         WHEN 'undetermined' THEN 0.5 + 0.45 * unknown_ns / max(total_ns, 1)
         WHEN 'nothing-wrong'
         THEN 0.95 - 5.0 * (excess_ns + unknown_ns) / max(total_ns, 1)
         ELSE 0.95 * (0.5 + 0.5 * excess_ns
                            / max(excess_ns + unknown_ns, 1)) END
         * CASE WHEN verdict = 'undetermined' OR
                     (SELECT total(s.ns) FROM answer_share s
                       WHERE s.answer_id = a.id
                         AND s.side IN ('network', 'host')
                         AND s.measured IN ('loss events', 'trimming',
                                            'reordering',
                                            'loss or reordering',
                                            'ACKs lost or late',
                                            'pause frames',
                                            'credit messages'))
                     > 0.5 * excess_ns THEN 1
                ELSE 1 - 0.3 / (1 + (SELECT g.phases FROM temp.ground g
                                      WHERE g.id = a.id)) END
         * CASE WHEN verdict IN ('network', 'both')
                     AND (SELECT g.low FROM temp.ground g WHERE g.id = a.id)
                     AND (SELECT total(s.ns) FROM answer_share s
                           WHERE s.answer_id = a.id AND s.class = 'loss'
                             AND s.side = 'network') > 0.5 * excess_ns
                THEN 0.6 ELSE 1 END)), 2)
 WHERE (scope <> 'capture' OR NOT EXISTS (SELECT 1 FROM job))
   AND NOT EXISTS (SELECT 1 FROM temp.ground g
                    WHERE g.id = a.id AND g.nothing_to_measure);
-- The capture is as sure as the job that cost most of its time.
CREATE TEMP TABLE chief AS
SELECT b.id FROM answer b
 WHERE b.scope = 'job'
 ORDER BY b.verdict = (SELECT verdict FROM answer WHERE id = 1) DESC,
          b.excess_ns + b.unknown_ns DESC, b.total_ns DESC, b.id LIMIT 1;
UPDATE answer
   SET confidence = ifnull((SELECT confidence FROM answer b
                             WHERE b.id = (SELECT id FROM temp.chief)), 0)
 WHERE confidence IS NULL;

-- Where what cost time began, of the rows of each answer that have most.
CREATE TEMP TABLE began AS
WITH p AS (
  SELECT ifnull(answer_id, 1 + job) AS id, job, class, side, rank, flow_id,
         other_flow_id, sum(ns) AS ns,
         row_number() OVER (PARTITION BY ifnull(answer_id, 1 + job)
                            ORDER BY sum(ns) DESC, class, rank, flow_id) AS nth
    FROM temp.part
   WHERE side IN ('network', 'host')
   GROUP BY 1, class, side, rank, flow_id, other_flow_id),
q AS (
  SELECT *, iif(class <> 'pause', other_flow_id,
                iif(side = 'host', NULL,
                    (SELECT s.full_flow FROM temp.pause_side s
                      WHERE s.flow_id = p.flow_id))) AS ahead
    FROM p WHERE nth <= 256)
SELECT id, class, side, ns,
       CASE
       WHEN class IN ('pause', 'queueing') THEN
         coalesce((SELECT 'job ' || d.job || ' (' || f.src || ' > '
                         || f.dst || ')' FROM flow f
            JOIN job_rank d ON d.address = f.src
           WHERE f.id = q.ahead AND d.job <> q.job
             AND (q.class = 'queueing' OR NOT EXISTS
                  (SELECT 1 FROM job_rank o
                    WHERE o.job = q.job AND o.address = f.dst))
           ORDER BY d.job LIMIT 1),
         (SELECT f.src || ' > ' || f.dst FROM flow f
           WHERE f.id = q.ahead),
         -- Data that waits for what is paused has no stall of its own.
         iif(class = 'pause',
             coalesce(
               (SELECT iif(q.side = 'host', ifnull(s.host, s.root), s.root)
                  FROM temp.pause_side s
                 WHERE s.flow_id = q.flow_id),
               iif(q.side = 'host', coalesce(
                 (SELECT f.dst FROM flow f
                   WHERE f.id = q.flow_id
                     AND f.dst IN (SELECT host FROM temp.pausing_host)),
                 (SELECT host FROM temp.pausing_host ORDER BY rowid LIMIT 1)),
                 NULL)),
             (SELECT f.src || ' > ' || f.dst FROM flow f
               WHERE f.id = q.flow_id)))
       WHEN class IN ('loss', 'rate-cut') THEN
         (SELECT ifnull(coalesce(
            (SELECT x.name || ' and ' || y.name
               FROM unmatched v
               JOIN segment s ON s.id = v.segment_id
               JOIN tap x ON x.id = s.from_tap_id
               JOIN tap y ON y.id = s.to_tap_id
              WHERE q.class = 'loss' AND v.verdict = 'lost'
                AND (v.flow_id = q.flow_id
                     OR v.to_flow_id = q.flow_id)
              LIMIT 1),
            (SELECT x.name || ' and ' || y.name
               FROM segment_flow v
               JOIN segment s ON s.id = v.segment_id
               JOIN tap x ON x.id = s.from_tap_id
               JOIN tap y ON y.id = s.to_tap_id
              WHERE q.class = 'rate-cut' AND v.flow_id = q.flow_id
                AND s.adjacent AND v.marked > 0
              ORDER BY v.marked DESC, s.id LIMIT 1))
            || ' (' || f.src || ' > ' || f.dst || ')',
            f.src || ' > ' || f.dst)
           FROM flow f WHERE f.id = q.flow_id)
       ELSE ifnull((SELECT f.dst FROM flow f
                     WHERE f.id = q.flow_id
                       AND q.class = 'host-receiver'),
                   (SELECT address FROM job_rank r
                     WHERE r.job = q.job AND r.rank = q.rank)) END AS who
  FROM q;
CREATE INDEX temp.began_by ON began(id);
-- What a host did on several NICs of a server, on each a good part of it, its
-- server did; and so that it began late, if all of its NICs did again and again.
CREATE TEMP TABLE began_server AS
WITH b AS MATERIALIZED (
  SELECT id, who, sum(ns) AS ns, max(class = 'host-late') AS late
    FROM temp.began
   WHERE side = 'host' AND who IS NOT NULL
     AND EXISTS (SELECT 1 FROM host_server)
   GROUP BY id, who),
n AS MATERIALIZED (
  SELECT a.id, a.job, h.server, b.ns, b.late,
         max(b.ns) OVER (PARTITION BY a.id, h.server) AS most
    FROM b
    JOIN host_server h ON h.address = b.who
    JOIN answer a ON a.id = b.id),
s AS MATERIALIZED (
  SELECT n.job, n.server, count(*) AS nics, group_concat(r.address, ', ')
           AS addresses,
         min(r.late_phases) >= max(0.5 * max(r.late_phases), 1) AS late
    FROM temp.rank_node n
    JOIN job_rank r ON r.job = n.job AND r.rank = n.rank
   WHERE n.server IS NOT NULL
   GROUP BY n.job, n.server
  HAVING nics > 1)
SELECT n.id, n.server,
       n.server || ' (' || iif(s.nics <= 4, s.addresses,
                               plural(s.nics, 'NIC')) || ')' AS who
  FROM n JOIN s ON s.job = n.job AND s.server = n.server
 GROUP BY n.id, n.server
HAVING total(n.ns >= 0.25 * n.most) > 1 OR max(n.late AND s.late);
UPDATE temp.began AS b
   SET who = ifnull((SELECT s.who
                       FROM host_server h
                       JOIN temp.began_server s ON s.server = h.server
                      WHERE h.address = b.who AND s.id = b.id), who)
 WHERE side = 'host' AND EXISTS (SELECT 1 FROM temp.began_server);
DROP TABLE temp.began_server;

-- The root is what has most of the cause; of a host's doings the host that has
-- most of all of them.
UPDATE answer AS a
   SET root =
       (SELECT b.who FROM temp.began b
         WHERE b.id = a.id AND b.who IS NOT NULL
           AND iif(a.verdict = 'host', b.side = 'host', b.class = a.cause)
         GROUP BY b.who
         ORDER BY sum(b.ns) DESC, b.who LIMIT 1)
 WHERE verdict IN ('network', 'host', 'both');
-- Where it has less than half, others are said to have their parts.
CREATE TEMP TABLE root_of_many AS
SELECT id, count(*) AS hosts
  FROM (SELECT b.id, b.who, sum(b.ns) AS ns
          FROM temp.began b
          JOIN answer a ON a.id = b.id
         WHERE a.verdict = 'host' AND b.side = 'host' AND b.who IS NOT NULL
         GROUP BY b.id, b.who)
 GROUP BY id
HAVING max(ns) < 0.5 * sum(ns);
DROP TABLE temp.began;
UPDATE answer SET cause = NULL
 WHERE verdict = 'nothing-wrong';

-- What each class was lost to: all that has a good part of it, most first.  Of
-- loss, reordering, and either of them, one is named.
CREATE TEMP TABLE lost_to AS
WITH n AS (
  SELECT ifnull(p.answer_id, 1 + p.job) AS id, p.class, p.side,
         ifnull(n.lost_to, c.lost_to) AS lost_to, sum(p.ns) AS ns,
         iif(n.measured IS NULL OR n.measured LIKE '%reordering', '',
             n.measured) AS kind
    FROM temp.part p
    JOIN temp.answer_class c ON c.class = p.class AND c.measured IS NULL
    LEFT JOIN temp.answer_class n ON n.class = p.class
                                 AND n.measured = p.measured
   WHERE p.side IN ('network', 'host')
   GROUP BY 1, 2, 3, 4),
k AS (
  SELECT id, class, side, lost_to, max(ns), sum(ns) AS ns,
         sum(sum(ns)) OVER (PARTITION BY id, class, side) AS all_ns
    FROM n GROUP BY id, class, side, kind)
SELECT id, class, side, group_concat(lost_to, ', and to ') AS lost_to
  FROM (SELECT * FROM k WHERE ns >= 0.2 * all_ns
         ORDER BY id, class, side, ns DESC, lost_to)
 GROUP BY id, class, side;
CREATE INDEX temp.lost_to_by_id ON lost_to(id);

UPDATE answer AS a
   SET reason =
       CASE WHEN verdict IN ('network', 'host', 'both')
            THEN human_ns(excess_ns) || ' of ' || human_ns(total_ns) || ' ('
                 || human_share(1.0 * excess_ns / total_ns) || ') was lost'
                 || (SELECT iif(max(alone), ' ', ': ')
                         || group_concat(iif(alone, '', human_ns(ns) || ' ')
                            || 'to ' || lost_to
                            || CASE WHEN class = 'pause'
                                    THEN CASE side WHEN 'host'
                                         THEN ' that began in a host'
                                         WHEN 'network'
                                         THEN ' that began in the network'
                                         ELSE ' of unknown origin' END
                                    ELSE '' END, ', ')
                       FROM (SELECT s.ns, s.class, s.side,
                                    s.ns >= 0.995 * a.excess_ns AS alone,
                                    t.lost_to
                               FROM answer_share s
                               JOIN temp.lost_to t ON t.id = s.answer_id
                                AND t.class = s.class AND t.side = s.side
                              WHERE s.answer_id = a.id
                                AND s.ns >= 0.1 * a.excess_ns
                              ORDER BY s.ns DESC, s.class))
                 || ifnull(' (' || iif(root LIKE '% and %', 'between ', '')
                             || replace(replace(root, ' (', ', '), ')', '')
                             || ifnull((SELECT ', most of ' || hosts || ' hosts'
                                          FROM temp.root_of_many m
                                         WHERE m.id = a.id), '')
                             || ')', '')
                 || iif(unknown_ns >= 0.05 * total_ns, '; the cause of '
                        || human_share(1.0 * unknown_ns / total_ns)
                        || ' is not known', '')
            WHEN verdict = 'nothing-wrong'
            THEN 'network and hosts cost '
                 || iif(excess_ns < 0.0005 * total_ns, 'less than 0.05 %',
                        human_share(1.0 * excess_ns / total_ns))
                 || ' of ' || human_ns(total_ns)
                 || ifnull((SELECT '; ' || human_share(1.0 * s.ns / total_ns)
                              || ' was transmission of the job''s own data'
                              FROM answer_share s
                             WHERE s.answer_id = a.id AND s.class = 'wire'
                               AND s.measured LIKE 'link load%'
                               AND s.ns >= 0.5 * total_ns), '')
                 || ifnull((SELECT '; '
                              || plural(sum(p.pauses), 'pause')
                              || iif(min(ifnull(p.role, '')) = 'switch',
                                     ' of switches', '')
                              || ' only stopped what busy links would '
                              || 'have delayed anyway'
                              FROM pause_sender p
                             WHERE ifnull(p.role, '') <> 'host'
                            HAVING sum(p.pauses) > 0), '')
                 || iif(unknown_ns < 0.0005 * total_ns, '',
                        '; the cause of '
                        || human_share(1.0 * unknown_ns / total_ns)
                        || ' is not known')
            WHEN g.few IS NOT NULL THEN g.few
            WHEN total_ns <= 0
            THEN ifnull((SELECT j.why_not FROM job j
                          WHERE j.id = a.job AND j.first_ns IS NULL),
                        'all packets have the same timestamp')
            WHEN excess_ns >= 0.02 * total_ns AND unknown_ns <= 2 * excess_ns
            THEN human_ns(excess_ns) || ' of ' || human_ns(total_ns)
                 || ' may have been lost to '
                 || (SELECT t.lost_to FROM temp.lost_to t
                       JOIN answer_share s ON s.answer_id = t.id
                        AND s.class = t.class AND s.side = t.side
                      WHERE t.id = a.id AND t.class = a.cause
                      ORDER BY s.ns DESC LIMIT 1)
                 || iif(excess_ns < 0.08 * total_ns,
                        ', which is too little for a verdict',
                        ', or to something else that looks the same')
                 || ifnull(': ' || g.weak, '')
            WHEN excess_ns + unknown_ns < 0.06 * total_ns
            THEN iif(coalesce(g.weak, g.why) LIKE '% is not known', '',
                     'how much time was lost is not known: ')
                 || coalesce(g.weak, g.why)
            WHEN unknown_ns > 0 AND (SELECT total(s.ns) FROM answer_share s
                   WHERE s.answer_id = a.id AND s.class = 'pause'
                     AND s.side = 'unknown') >= 0.5 * unknown_ns
            THEN 'most of ' || human_ns(unknown_ns) || ' ('
                 || human_share(1.0 * unknown_ns / total_ns) || ' of '
                 || human_ns(total_ns) || ') was spent in pauses, and where '
                 || 'these began is not observable: '
                 || ifnull(g.weak, 'capture the pause frames of all links '
                                   || 'between these hosts')
            ELSE 'the cause of ' || human_share(1.0 * unknown_ns / total_ns)
                 || ' of ' || human_ns(total_ns) || ' is not known: '
                 || coalesce(g.named, g.weak, g.why) END
  FROM temp.ground g
 WHERE g.id = a.id;
-- What the capture says is what the job says that decided, and where that does
-- not name all that is known, what another job says that names a side.
UPDATE answer AS a
   SET (root, reason) =
       (SELECT b.root, CASE WHEN (SELECT count(*) FROM answer
                                   WHERE scope = 'job') > 1
                            THEN 'job ' || b.job || ': ' ELSE '' END
                       || b.reason
                       || ifnull(iif(a.verdict IN ('both', 'undetermined')
                                       AND b.verdict <> 'both',
                         (SELECT '; job ' || o.job || ': ' || o.reason
                            FROM answer o
                           WHERE o.scope = 'job'
                             AND o.verdict IN ('network', 'host', 'both')
                             AND o.verdict <> b.verdict
                           ORDER BY o.excess_ns DESC, o.id LIMIT 1),
                         NULL), '')
          FROM answer b WHERE b.id = (SELECT id FROM temp.chief)),
       cause = (SELECT b.cause FROM answer b
                 WHERE b.id = (SELECT id FROM temp.chief))
 WHERE scope = 'capture' AND EXISTS (SELECT 1 FROM temp.chief);

UPDATE answer
   SET line = CASE verdict WHEN 'network' THEN 'It was the network'
                           WHEN 'host' THEN 'It was a host'
                           WHEN 'both' THEN 'It was both'
                           WHEN 'nothing-wrong' THEN 'Nothing was wrong'
                           ELSE 'Undetermined' END
              || iif(confidence > 0,
                     printf(' (%.0f %%): ', 100 * confidence), ': ') || reason;

DROP TABLE temp.may_miss;
DROP TABLE temp.answer_class;
DROP TABLE temp.pause_side;
DROP TABLE temp.pausing_host;
DROP TABLE temp.subject;
DROP TABLE temp.subject_sum;
DROP TABLE temp.part;
DROP TABLE temp.ground;
DROP TABLE temp.rank_at;
DROP TABLE temp.rank_node;
DROP TABLE temp.root_of_many;
DROP TABLE temp.lost_to;
DROP TABLE temp.side_sum;
DROP TABLE temp.apart;
DROP TABLE temp.apart_sum;
DROP TABLE temp.chief;

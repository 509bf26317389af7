-- 7.1, 7.2, 7.4 What do marks and pauses say of thresholds and storms?
--
-- into kpi
WITH can AS (
  SELECT max(verdict <> 'no') AS pfc,
         'PFC frames in the capture (TAP, or a mirror that copies them): '
           || ifnull(max(why), 'there are no packets') AS why
    FROM observability WHERE what = 'pfc'),
t AS (SELECT min(first_ns) AS first_ns FROM tap),
s AS (
  SELECT min(first_ns) AS first_ns, count(*) AS n,
         sum(level LIKE 'deadlock%') AS locks,
         max(depth) AS depth, max(longest_ns) AS longest
    FROM storm WHERE level <> 'heavy'),
dog AS (
  SELECT sum(c.delta) AS n, count(DISTINCT c.source_id) AS ports
    FROM counted c /*scan*/
   WHERE c.meaning = 'storms' AND c.delta IS NOT NULL),
room AS (
  SELECT max(c.last_value) AS most, count(*) AS n,
         ifnull(s.node, s.device) || ifnull(' ' || s.port, '') AS whose
    FROM counted c /*scan*/ JOIN evidence_source s ON s.id = c.source_id
   WHERE c.meaning = 'buffer_max'
     AND (c.name LIKE '%headroom%' OR c.name LIKE '%XOFF_ROOM%')),
-- From which depth on packets are marked: that of the twentieth part of them, of
-- which some may have been marked by a later switch.
marks AS (
  SELECT q.device_id, q.egress_port, q.queue, q.bytes, q.ce,
         sum(q.ce) OVER (PARTITION BY q.device_id, q.egress_port, q.queue)
           AS marked,
         sum(q.ce) OVER (PARTITION BY q.device_id, q.egress_port, q.queue
                         ORDER BY q.bytes) AS upto
    FROM queue_depth q /*scan*/ WHERE q.ce > 0),
from_depth AS (
  SELECT n.name AS switch, p.name AS port, m.queue, m.marked,
         min(m.bytes) AS least
    FROM marks m
    JOIN node n ON n.device_id = m.device_id
    JOIN node_port p ON p.node = n.name AND p.port = m.egress_port
   WHERE m.marked >= 20 AND m.upto * 20 >= m.marked
   GROUP BY 1, 2, 3, 4),
wmin AS (
  SELECT ifnull(s.node, s.device) AS switch, s.port, x.number AS queue,
         max(x.value) AS wmin
    FROM setting x /*scan*/ JOIN evidence_source s ON s.id = x.source_id
   WHERE x.name = 'ecn_min' AND x.value > 0
   GROUP BY 1, 2, 3),
deviation AS (
  SELECT d.*, w.wmin
    FROM from_depth d
    JOIN wmin w ON w.switch = d.switch AND w.port = d.port AND w.queue = d.queue
   ORDER BY d.marked DESC, d.switch, d.port LIMIT 1)
SELECT 'ECN threshold deviation' AS name, '7.1' AS section, 1 AS place,
       (SELECT 100.0 * (least - wmin) / wmin FROM deviation) AS value,
       '%' AS unit, 'TEL' AS class, 0.6 AS confidence,
       'path telemetry (IFA or INT) of marked packets, 20 or more, and Wmin of '
         || 'that queue (--evidence: config_db.json)' AS missing,
       (SELECT switch || ' ' || port || ', queue ' || queue || ': 95 % of '
                 || marked || ' marked packets met ' || human_count(least)
                 || ' bytes or more, Wmin is ' || human_count(wmin)
          FROM deviation) AS note,
       (SELECT marked FROM deviation) AS samples
UNION ALL
SELECT 'PFC storms', '7.2', 3, CASE WHEN can.pfc THEN s.n END, 'events', 'NT',
       0.8, can.why, 'pauses longer than PFC watchdog thresholds: query storms', s.n
  FROM can, s
UNION ALL
SELECT 'PFC storm onset', '7.2', 4, (s.first_ns - t.first_ns) / 1e6, 'ms',
       'NT', 0.8, CASE WHEN can.pfc THEN 'a storm: there was none'
                       ELSE can.why END, 'from the first packet on', s.n
  FROM can, s, t
UNION ALL
SELECT 'PFC headroom', '7.2', 6, room.most, 'bytes', 'TEL', 0.7,
       'headroom watermarks of the switches (--evidence)',
       'the most that a priority group took in after XOFF (' || room.whose
         || '), since it was reset: perhaps before the capture', room.n
  FROM room
UNION ALL
SELECT 'PFC deadlocks', '7.4', 1, CASE WHEN can.pfc THEN ifnull(s.locks, 0) END,
       'events', 'NT', 0.7, can.why,
       'each link of a cycle is one; suspected ones included', s.n
  FROM can, s
UNION ALL
SELECT 'Pause propagation', '7.4', 2, CASE WHEN can.pfc THEN s.depth END,
       'links', 'NT', 0.7, CASE WHEN can.pfc THEN 'a storm: there was none'
                                ELSE can.why END,
       'tapped links in a row', s.n
  FROM can, s
UNION ALL
SELECT 'Watchdog events', '7.4', 3, dog.n, 'events',
       CASE WHEN dog.n IS NULL THEN 'NO' ELSE 'TEL' END, 0.8,
       'counters of the switches (--evidence: pfcwd show stats, before and '
         || 'after); thresholds that pauses crossed are in findings',
       'storms that PFC watchdogs detected, by the counters of '
         || plural(dog.ports, 'port'), dog.ports
  FROM dog

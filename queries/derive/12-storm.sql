-- Storms across taps.
--
-- A node is a storm, a link direction and priority that was paused too much; or
-- else all pauses of one together.  What a port pauses is what travels to it,
-- so flows tell which link comes after which: they are seen at both, first
-- nearer to the sender.
-- needs pause_sender or storm

-- Who the ports are: by what they send, by what they say of themselves (LLDP),
-- by the topology file.  What passes a tap of one direction comes from its
-- first end; where both directions pass, what is known to be a switch is the one
-- of its ends that is one.
UPDATE pause_sender AS p
   SET who = CASE WHEN role = 'host' THEN 'host ' || host || ifnull(
                  (SELECT ' (' || a.node || ')' FROM node_address a
                    WHERE a.address = p.host), '')
                  ELSE coalesce(
                  (SELECT max(l.system || ' port ' || l.port) FROM lldp l
                    WHERE l.tap_id = p.tap_id AND l.source_mac = p.source_mac),
                  (SELECT 'port of ' || t.from_node || ' to ' || t.to_node
                          || ' (' || p.source_mac || ')'
                     FROM tap t
                    WHERE t.id = p.tap_id AND t.from_node IS NOT NULL
                      AND NOT t.both_ways),
                  (SELECT 'port of ' || max(n.name) || ' to '
                          || CASE max(n.name) WHEN t.from_node THEN t.to_node
                                  ELSE t.from_node END
                          || ' (' || p.source_mac || ')'
                     FROM tap t
                     JOIN node n ON n.name IN (t.from_node, t.to_node)
                                AND n.kind = 'switch'
                    WHERE t.id = p.tap_id AND p.role = 'switch'
                   HAVING count(*) = 1),
                  CASE WHEN role = 'switch' THEN 'switch port ' || source_mac
                       ELSE 'port ' || source_mac END) END;
-- A port's pauses are at one tap, what they silence may be at the other one of
-- its link.
UPDATE pause_sender AS p
   SET captured_ns = (SELECT max(t.last_ns) - min(t.first_ns) FROM tap t
                       WHERE t.id = p.tap_id
                          OR (t.half_of = p.tap_id
                              AND t.half_by IS NOT NULL));
-- Did its pauses stop anybody?  If they do not, the share of the packets that
-- come while it pauses is that of the time, or more, as ports pause when much
-- comes.  Half of it is not what the end of a few pauses does that were not
-- captured; one packet for each XOFF is what a long cable or coarse time stamps
-- do.
UPDATE pause_sender AS p
   SET ignored = passed > xoff_frames
             AND ifnull(2.0 * passed * (SELECT max(t.last_ns) - p.first_ns
                                          FROM tap t
                                         WHERE t.id = p.tap_id
                                            OR (t.half_of = p.tap_id
                                                AND t.half_by IS NOT NULL))
                        > 1.0 * seen * paused_ns, 0);

-- A storm at a higher level says all that one at a lower level would.
CREATE TEMP TABLE storm_rank(level TEXT PRIMARY KEY, rank INTEGER);
INSERT INTO temp.storm_rank VALUES
  ('heavy', 1), ('suspect', 2), ('storm', 3);
DELETE FROM storm AS low
 WHERE EXISTS (SELECT 1 FROM storm high
                 JOIN temp.storm_rank h ON h.level = high.level
                 JOIN temp.storm_rank l ON l.level = low.level
                WHERE high.tap_id = low.tap_id
                  AND high.source_mac = low.source_mac
                  AND high.priority IS low.priority
                  AND h.rank > l.rank
                  AND high.first_ns <= low.last_ns
                  AND high.last_ns >= low.first_ns);
DROP TABLE temp.storm_rank;

-- The flows through each paused link, by who they are; only the longest, so that
-- nobody can make this take long.  What is no storm has numbers from 2^40 on.
CREATE TEMP TABLE node AS
SELECT * FROM (
  SELECT id, tap_id, source_mac, priority, first_ns, last_ns
    FROM storm ORDER BY last_ns - first_ns DESC, id LIMIT 300)
UNION ALL
SELECT * FROM (
  SELECT 1099511627776 + p.rowid, tap_id, source_mac, priority, first_ns,
         last_ns
    FROM pause_sender p /*scan*/
   WHERE paused_ns > 0
     AND NOT EXISTS (SELECT 1 FROM storm s
                      WHERE s.tap_id = p.tap_id AND s.priority IS p.priority
                        AND s.source_mac = p.source_mac)
   ORDER BY paused_ns DESC, p.rowid LIMIT 300);
CREATE INDEX temp.node_by_id ON node(id);
CREATE TEMP TABLE crossing AS
SELECT n.id AS node, n.tap_id, n.source_mac, f.src, f.dst, f.dst_qp,
       p.flow_id, p.ttl, f.first_ns
  FROM temp.node n
  JOIN paused_flow p ON p.tap_id = n.tap_id AND p.source_mac = n.source_mac
                    AND (n.priority IS NULL OR p.priority = n.priority)
  JOIN flow f ON f.id = p.flow_id
 WHERE f.first_ns <= n.last_ns;
CREATE INDEX temp.crossing_by_flow ON crossing(src, dst, dst_qp);

-- Which flow meets one paused link and then another; clocks of taps may differ
-- by 20 us.
CREATE TEMP TABLE waits AS
SELECT u.node AS up, d.node AS down, count(DISTINCT u.flow_id) AS flows
  FROM temp.crossing u
  JOIN temp.crossing d ON d.src = u.src AND d.dst = u.dst
                      AND d.dst_qp = u.dst_qp
 WHERE (u.tap_id <> d.tap_id OR u.source_mac <> d.source_mac)
   AND (u.ttl > d.ttl OR (u.ttl = d.ttl AND u.first_ns < d.first_ns))
 GROUP BY u.node, d.node;
CREATE TEMP TABLE edge AS
SELECT w.down AS cause_id, w.up AS effect_id, w.flows,
       up.first_ns - down.first_ns AS delay_ns
  FROM temp.waits w
  JOIN temp.node up ON up.id = w.up
  JOIN temp.node down ON down.id = w.down
 WHERE up.first_ns >= down.first_ns - 20000
   AND up.first_ns <= down.last_ns;
CREATE INDEX temp.edge_by_cause ON edge(cause_id);
INSERT INTO storm_edge(cause_id, effect_id, flows, delay_ns)
SELECT cause_id, effect_id, flows, delay_ns FROM temp.edge
 WHERE max(cause_id, effect_id) < 1099511627776;

-- Everything that follows from a storm, and whether it comes round to itself.
CREATE TEMP TABLE reached(cause INTEGER, effect INTEGER,
                         PRIMARY KEY(cause, effect)) WITHOUT ROWID;
INSERT INTO temp.reached
WITH RECURSIVE reach(cause, effect) AS (
  SELECT cause_id, effect_id FROM temp.edge
   UNION
  SELECT r.cause, e.effect_id FROM reach r
    JOIN temp.edge e ON e.cause_id = r.effect)
SELECT cause, effect FROM reach;

-- A circle whose links are all stalled, without any progress, longer than any
-- pause lasts, cannot dissolve by itself.  A host ends every circle: what it
-- sends pauses for, it may take again.  Times differ between its links, so
-- the edges of a circle are looked for without asking which was first.
CREATE TEMP TABLE ring(id INTEGER PRIMARY KEY, leader INTEGER);
INSERT INTO temp.ring
WITH RECURSIVE still(id) AS MATERIALIZED (
  SELECT s.id FROM storm s
    JOIN temp.node n ON n.id = s.id
    JOIN pause_sender p ON p.tap_id = s.tap_id AND p.source_mac = s.source_mac
                 AND p.priority IS s.priority
   WHERE s.frozen AND p.role IS NOT 'host'
     AND s.longest_ns >= max(10000000, 5.12e12 * p.quanta_max / p.link_bps)),
held(up, down) AS MATERIALIZED (
  SELECT w.up, w.down
    FROM temp.waits w
    JOIN temp.node a ON a.id = w.up
    JOIN temp.node b ON b.id = w.down
   WHERE w.up IN (SELECT id FROM still) AND w.down IN (SELECT id FROM still)
     AND a.first_ns <= b.last_ns AND b.first_ns <= a.last_ns),
reach(up, down) AS (
  SELECT up, down FROM held
   UNION
  SELECT r.up, w.down FROM reach r JOIN held w ON w.up = r.down)
SELECT a.up, min(b.up)
  FROM reach a
  JOIN reach b ON b.up = a.down AND b.down = a.up
 WHERE EXISTS (SELECT 1 FROM reach c WHERE c.up = a.up AND c.down = a.up)
 GROUP BY a.up;
UPDATE storm SET level = 'deadlock' WHERE id IN (SELECT id FROM temp.ring);

-- From where it came: the earliest behind it that nothing is behind.  Of a
-- circle it is the one that was first, unless something outside began it.
CREATE TEMP TABLE origin(id INTEGER PRIMARY KEY, root INTEGER);
INSERT INTO temp.origin
SELECT n.id, ifnull(
       (SELECT c.id FROM temp.reached x JOIN temp.node c ON c.id = x.cause
         WHERE x.effect = n.id AND x.cause <> n.id
           AND NOT EXISTS (SELECT 1 FROM temp.reached y
                            WHERE y.effect = x.cause AND y.cause <> x.cause
                              AND NOT EXISTS (SELECT 1 FROM temp.reached z
                                               WHERE z.cause = x.cause
                                                 AND z.effect = y.cause))
         ORDER BY c.first_ns, c.id LIMIT 1), n.id)
  FROM temp.node n;
UPDATE temp.origin AS o
   SET root = (SELECT n.id FROM temp.ring r JOIN temp.node n ON n.id = r.id
                WHERE r.leader = (SELECT leader FROM temp.ring
                                   WHERE id = o.id)
                ORDER BY n.first_ns, n.id LIMIT 1)
 WHERE id IN (SELECT id FROM temp.ring)
   AND root IN (SELECT id FROM temp.ring);
UPDATE storm AS s
   SET root_id = ifnull((SELECT root FROM temp.origin
                          WHERE id = s.id AND root < 1099511627776), s.id);

UPDATE storm AS s
   SET depth = (
       WITH RECURSIVE way(id, n) AS (
         SELECT s.id, 0
          UNION
         SELECT e.effect_id, n + 1 FROM way JOIN storm_edge e
             ON e.cause_id = way.id
          WHERE n < (SELECT count(*) FROM temp.node) AND n < 16)
       SELECT max(n) FROM way)
 WHERE id IN (SELECT id FROM temp.node)
   AND NOT EXISTS (SELECT 1 FROM temp.reached x
                    WHERE x.cause = s.id AND x.effect = s.id);

-- A host that sends pauses is where it began: nothing is behind it.
UPDATE storm AS s
   SET root = (SELECT p.who
                 FROM storm r
                 JOIN pause_sender p ON p.tap_id = r.tap_id
                              AND p.source_mac = r.source_mac
                              AND p.priority IS r.priority
                WHERE r.id = s.root_id AND p.role = 'host');

-- A switch that lets nothing through until the capture ends, and nothing is
-- seen behind it: a circle somewhere else would look like this.
UPDATE storm AS s
   SET level = 'deadlock-suspect'
 WHERE s.standing AND s.frozen AND s.root IS NULL AND s.root_id = s.id
   AND s.level IN ('suspect', 'storm')
   AND NOT EXISTS (SELECT 1 FROM storm_edge WHERE effect_id = s.id)
   AND EXISTS (SELECT 1 FROM pause_sender p
                WHERE p.tap_id = s.tap_id AND p.source_mac = s.source_mac
                  AND p.priority IS s.priority AND p.role = 'switch'
                  AND s.longest_ns >= max(10000000,
                                          5.12e12 * p.quanta_max
                                            / p.link_bps));

-- Each port of a circle pauses because the next one is paused: it forwards, so it
-- is a switch's, and what the circle holds is held by the network.
UPDATE pause_sender AS p
   SET deadlock = EXISTS (SELECT 1 FROM storm s
                            JOIN storm r ON r.id = s.root_id
                           WHERE s.tap_id = p.tap_id
                             AND s.source_mac = p.source_mac
                             AND s.priority IS p.priority
                             AND s.level = 'deadlock'
                             AND r.level = 'deadlock');
UPDATE pause_sender SET role = 'switch' WHERE deadlock AND role IS NULL;

-- Whom it stalled.  Who goes to the root is part of what the root cannot take,
-- who does not is a victim, as everybody is in a circle; what begins outside of
-- the taps, nobody can tell.
-- Rows of stalls may have been left out: of what is no storm the flow knows all.
CREATE TEMP TABLE sums AS
SELECT flow_id, sum(stalls) AS stalls, sum(stalled_ns) AS stalled_ns,
       max(longest_ns) AS longest_ns
  FROM paused_flow GROUP BY flow_id;
CREATE INDEX temp.sums_by_flow ON sums(flow_id);
INSERT INTO stalled_flow(tap_id, source_mac, priority, storm_id, flow_id, part,
                      stalls, stalled_ns, longest_ns, first_ns, last_ns,
                      stall_tap_id, frame)
WITH member AS (
  SELECT o.root, n.tap_id, n.source_mac, n.priority, n.first_ns, n.last_ns,
         EXISTS (SELECT 1 FROM temp.edge WHERE cause_id = o.root)
           OR EXISTS (SELECT 1 FROM temp.node r
                        JOIN pause_sender p ON p.tap_id = r.tap_id
                                     AND p.source_mac = r.source_mac
                                     AND p.priority IS r.priority
                       WHERE r.id = o.root AND p.role = 'host') AS located
    FROM temp.origin o JOIN temp.node n ON n.id = o.id),
held AS (
  SELECT m.root, m.located, l.flow_id,
         ifnull((SELECT t.id FROM tap t
                  WHERE t.id = f.tap_id AND t.half_of = l.tap_id
                    AND t.half_by IS NOT NULL), l.tap_id) AS tap_id, f.src, f.dst, f.dst_qp,
         count(*) AS stalls, sum(l.last_ns - l.first_ns) AS stalled_ns,
         max(l.last_ns - l.first_ns) AS longest_ns, l.frame,
         m.first_ns, m.last_ns
    FROM member m
    JOIN stall l ON l.tap_id = m.tap_id AND l.source_mac = m.source_mac
                AND l.cause = 'pause'
                AND (m.priority IS NULL OR l.priority = m.priority)
                AND l.first_ns <= m.last_ns AND l.last_ns >= m.first_ns
    JOIN flow f ON f.id = l.flow_id
   GROUP BY m.root, l.flow_id),
longest AS (
  SELECT *, row_number() OVER (PARTITION BY root, src, dst, dst_qp
                               ORDER BY stalled_ns DESC, flow_id) AS nth
    FROM held)
SELECT n.tap_id, n.source_mac, n.priority,
       CASE WHEN n.id < 1099511627776 THEN n.id END, h.flow_id,
       CASE WHEN h.root IN (SELECT id FROM temp.ring) THEN 'victim'
            WHEN NOT h.located THEN 'possible'
            WHEN EXISTS (SELECT 1 FROM temp.crossing c
                          WHERE c.node = h.root AND c.src = h.src
                            AND c.dst = h.dst AND c.dst_qp = h.dst_qp)
            THEN 'contributor' ELSE 'victim' END,
       iif(n.id < 1099511627776, h.stalls, p.stalls),
       iif(n.id < 1099511627776, h.stalled_ns, p.stalled_ns),
       iif(n.id < 1099511627776, h.longest_ns, p.longest_ns),
       h.first_ns, h.last_ns, h.tap_id, h.frame
  FROM longest h
  JOIN temp.node n ON n.id = h.root
  JOIN temp.sums p ON p.flow_id = h.flow_id
 WHERE h.nth = 1;
DROP TABLE temp.sums;

DROP TABLE temp.origin;
DROP TABLE temp.edge;
DROP TABLE temp.waits;
DROP TABLE temp.ring;
DROP TABLE temp.reached;
DROP TABLE temp.crossing;
DROP TABLE temp.node;

-- Counters of another port, and of another clock, by what they counted.
--
-- A count that fits another port to the packet, twice, and not its own, is that
-- port's.  One that fits, but moved at another time than the packets passed, was
-- read by a clock that is wrong.
--
-- needs evidence_source

-- ## What passed at the ports of switches
--
-- A port counts other frames as well, so that packets are the least that it can
-- have counted; duplicates may be the mirror's, known as such or not.

-- A flow over several parallel links has all of its packets at one of them: what
-- passed at each is in the row of the capture point.
CREATE TEMP TABLE beside AS
SELECT m.tap_id, m.group_id
  FROM link_member m /*scan*/
 WHERE m.group_id IN (SELECT group_id FROM link_member /*scan*/
                       GROUP BY group_id HAVING count(tap_id) > 1)
   AND m.tap_id IS NOT NULL
 GROUP BY m.tap_id;
CREATE TEMP TABLE passed AS
SELECT tap_id, src, dst, min(first_ns) AS a, max(last_ns) AS b,
       sum(packets - ifnull(mirror_duplicates, 0)) AS n,
       sum(packets - ifnull(mirror_duplicates, 0)
           - ifnull(duplicates, 0)) AS sent,
       sum(packets - ifnull(mirror_duplicates, 0) - ifnull(duplicates, 0)
           - ifnull(lost_downstream_max, 0)) AS beyond
  FROM flow /*scan*/
 WHERE EXISTS (SELECT 1 FROM counted WHERE meaning IN ('rx_packets',
                                                       'tx_packets'))
   AND tap_id NOT IN (SELECT tap_id FROM temp.beside)
 GROUP BY tap_id, src, dst
UNION ALL
SELECT t.id, NULL, NULL, t.first_ns, t.last_ns,
       t.packets_roce + t.packets_cnp + t.packets_uet - f.doubled,
       max(t.packets_roce + t.packets_cnp + t.packets_uet - f.doubled
           - f.again, 0),
       max(t.packets_roce + t.packets_cnp + t.packets_uet - f.doubled
           - f.again - f.beyond, 0)
  FROM temp.beside b
  JOIN tap t ON t.id = b.tap_id
  JOIN (SELECT x.group_id, total(f.mirror_duplicates) AS doubled,
               total(f.duplicates) AS again,
               total(f.lost_downstream_max) AS beyond
          FROM flow f /*scan*/ JOIN temp.beside x ON x.tap_id = f.tap_id
         GROUP BY x.group_id) f ON f.group_id = b.group_id;
CREATE INDEX temp.passed_by ON passed(tap_id);
CREATE TEMP TABLE frames AS
SELECT w.node, w.port, iif(w.outward, 'tx_packets', 'rx_packets') AS meaning,
       sum(iif(w.outward, p.sent, p.beyond)) AS low, sum(p.n) AS n,
       min(p.a) AS a, max(p.b) AS b, min(w.tap_id) AS tap_id
  FROM temp.port_way w
  JOIN temp.passed p ON p.tap_id = w.tap_id
 GROUP BY w.node, w.port, w.outward, w.tap_id
UNION ALL
SELECT x.node, x.port, iif(p.dst = h.address, 'tx_packets', 'rx_packets'),
       sum(iif(p.dst = h.address, p.sent, p.beyond)), sum(p.n), min(p.a), max(p.b),
       min(x.tap_id)
  FROM temp.tap_end x
  JOIN node_address h ON h.node = x.peer
  JOIN temp.passed p ON p.tap_id = x.tap_id AND h.address IN (p.src, p.dst)
 WHERE x.both_ways AND x.node NOT IN (SELECT node FROM node_address)
 GROUP BY x.node, x.port, 3, x.tap_id;

INSERT INTO counter_check(counted_id, what, counted, packets_min, verdict,
                          tap_id, reason, settle)
WITH pair AS (
  SELECT t.counted_id, t.meaning, t.delta, t.who, f.low, f.n, f.tap_id,
         CASE WHEN t.delta < f.low - 64 - f.low / 1000 THEN 'contradicts'
              WHEN t.delta IN (f.low, f.n) THEN 'agrees'
              WHEN t.delta < f.low THEN 'fewer' ELSE 'more' END AS verdict,
         (SELECT group_concat(DISTINCT o.node || ' ' || o.port)
            FROM temp.frames o
           WHERE o.meaning = t.meaning AND o.n = t.delta AND t.delta > 9
             AND (o.node <> t.node OR o.port <> t.port)) AS fits
    FROM temp.tally t
    JOIN temp.frames f ON f.node = t.node AND f.port = t.port
                      AND f.meaning = t.meaning)
SELECT counted_id, meaning, delta, low, verdict, tap_id,
       who || ' counted ' || human_count(delta) || ' ('
         || words(meaning) || '); at least ' || human_count(low)
         || CASE meaning WHEN 'tx_packets' THEN ' packets from it'
                         ELSE ' packets to it' END || ' are in the capture',
       CASE verdict
         WHEN 'contradicts'
         THEN CASE WHEN fits IS NOT NULL
                   THEN 'It is what ' || fits || ' should have counted: check '
                     || 'whether ports are mixed up, in the file or in the '
                     || 'topology file.'
                   WHEN delta = 0
                   THEN 'A counter that does not move, or one of another port: '
                     || 'read it twice while traffic flows.'
                   ELSE 'Check whether ports are mixed up, in the file or in '
                     || 'the topology file, and that they were read before '
                     || 'and after the whole capture.' END END
  FROM pair
 WHERE verdict IN ('contradicts', 'agrees') OR delta = 0;

-- ## Not refreshed yet
--
-- A switch reads the counters of its chip at intervals: SONiC those of ports every
-- second, of queues every 10, drops of buffers every 60.  One that lags behind the
-- packets is no contradiction where it has moved and was read within that time; one
-- that has not moved may be stuck, or not refreshed, unless those of the same port
-- that are read with it have all of these packets.
CREATE TEMP TABLE refreshed AS
SELECT DISTINCT t.node, t.port, s.kind
  FROM temp.tally t
  JOIN temp.frames f ON f.node = t.node AND f.port = t.port
                    AND f.meaning = t.meaning
  JOIN counted c ON c.id = t.counted_id
  JOIN evidence_source s ON s.id = c.source_id
 WHERE f.low > 9 AND t.delta BETWEEN f.low AND f.n;
CREATE INDEX temp.refreshed_by ON refreshed(node, port);
CREATE TEMP TABLE lagging AS
SELECT k.id, r.node IS NOT NULL AS refreshed,
       CASE WHEN k.counted > 0 THEN c.last_ns - t.b END AS after_ns
  FROM counter_check k /*scan*/
  JOIN counted c ON c.id = k.counted_id
  JOIN evidence_source s ON s.id = c.source_id
  LEFT JOIN temp.refreshed r
    ON r.node = s.node AND r.port = s.port AND r.kind = s.kind
   AND k.what IN ('rx_packets', 'tx_packets', 'rx_pauses', 'tx_pauses',
                  'rx_paused', 'tx_paused'),
       (SELECT max(last_ns) AS b FROM tap WHERE packets > 0) t
 WHERE k.verdict = 'contradicts' AND s.address IS NULL AND s.node IS NOT NULL
   AND k.what IN ('rx_packets', 'tx_packets', 'rx_pauses', 'tx_pauses',
                  'rx_paused', 'tx_paused', 'ecn_marked', 'losses')
   AND k.counted < k.packets_min
   AND (k.what <> 'losses' OR k.counted = 0)
   AND ifnull(c.last_ns < t.b + 60000000000, 1)
   AND NOT EXISTS (SELECT 1 FROM temp.frames o
                    WHERE o.meaning = k.what AND o.n = k.counted
                      AND k.counted > 9);
UPDATE counter_check AS k
   SET verdict = CASE WHEN l.after_ns IS NULL OR l.refreshed THEN k.verdict
                      ELSE 'fewer' END,
       reason = k.reason
         || CASE WHEN l.after_ns IS NULL OR l.refreshed THEN ''
                 ELSE ', and it was read '
                   || CASE WHEN l.after_ns > 0
                           THEN human_ns(l.after_ns) || ' after them'
                           ELSE 'before the last of them' END
                   || ': not refreshed yet' END,
       settle = CASE
         WHEN l.refreshed
         THEN k.settle || ' It was refreshed: other counters of this port have '
           || 'all of these packets.'
         ELSE ifnull(k.settle || ' ', '') || 'Or the switch had not refreshed '
           || 'it yet (SONiC does so every 1 to 60 s, see counterpoll show): '
           || 'read it again a minute later.' END
  FROM temp.lagging l WHERE l.id = k.id;
DROP TABLE temp.refreshed;
DROP TABLE temp.lagging;

-- ## Ports of a switch that are mixed up
--
-- By the counters at the other ends of their cables: what went in there came out
-- here.  Only where both directions fit another cable and neither fits the own
-- one.

CREATE TEMP TABLE counted_at AS
SELECT s.node, s.port, s.node || ' ' || s.port AS who,
       max(c.id) AS counted_id,
       coalesce(max(c.delta) FILTER (WHERE c.meaning = 'tx_packets'),
                max(c.delta) FILTER (WHERE c.meaning = 'rdma_tx_packets'))
         AS tx,
       coalesce(max(c.delta) FILTER (WHERE c.meaning = 'rx_packets'),
                max(c.delta) FILTER (WHERE c.meaning = 'rdma_rx_packets'))
         AS rx
  FROM counted c /*scan*/ JOIN evidence_source s ON s.id = c.source_id
 WHERE s.node IS NOT NULL AND s.port IS NOT NULL AND c.covers
   AND c.meaning IN ('tx_packets', 'rx_packets', 'rdma_tx_packets',
                     'rdma_rx_packets')
 GROUP BY s.node, s.port;
CREATE INDEX temp.counted_at_by ON counted_at(node, port);
-- Each end of a cable, with what the other end counted.
CREATE TEMP TABLE cable AS
SELECT x.node, x.port, c.who, c.counted_id, c.tx, c.rx, p.tx AS peer_tx,
       p.rx AS peer_rx
  FROM (SELECT a AS node, a_port AS port, b AS peer, b_port AS peer_port
          FROM link WHERE a_port IS NOT NULL AND b_port IS NOT NULL
        UNION ALL
        SELECT b, b_port, a, a_port
          FROM link WHERE a_port IS NOT NULL AND b_port IS NOT NULL) x
  JOIN temp.counted_at c ON c.node = x.node AND c.port = x.port
  JOIN temp.counted_at p ON p.node = x.peer AND p.port = x.peer_port
 WHERE c.tx + c.rx + p.tx + p.rx IS NOT NULL;
INSERT INTO counter_check(counted_id, what, counted, verdict, reason, settle)
SELECT c.counted_id, 'port', c.tx, 'contradicts',
       c.who || ' counted what ' || o.who || ' should have ('
         || human_count(c.tx) || ' packets sent, ' || human_count(c.rx)
         || ' received), by the counters at the other ends of their cables ('
         || human_count(c.peer_rx) || ' came from ' || c.who || ', '
         || human_count(o.peer_rx) || ' from ' || o.who || ')',
       'Check whether ports are mixed up, in the file or in the topology file.'
  FROM temp.cable c
  JOIN temp.cable o ON o.node = c.node AND o.port <> c.port
 WHERE abs(c.tx - o.peer_rx) <= 16 + o.peer_rx / 500
   AND abs(c.rx - o.peer_tx) <= 16 + o.peer_tx / 500
   AND abs(o.tx - c.peer_rx) <= 16 + c.peer_rx / 500
   AND abs(o.rx - c.peer_tx) <= 16 + c.peer_tx / 500
   AND abs(c.tx - c.peer_rx) > 64 + c.peer_rx / 100
   AND abs(c.rx - c.peer_tx) > 64 + c.peer_tx / 100
   AND NOT EXISTS (SELECT 1 FROM counter_check k
                    WHERE k.counted_id = c.counted_id
                      AND k.verdict = 'contradicts'
                      AND k.what IN ('tx_packets', 'rx_packets'))
 GROUP BY c.node, c.port HAVING count(*) = 1;

-- ## Hosts that are mixed up
--
-- More than the packets of a host is no contradiction by itself: it may have had
-- other traffic.  The numbers of another host, both of them, are one.

CREATE TEMP TABLE host_count AS
SELECT address, who, max(counted_id) AS counted_id,
       max(delta) FILTER (WHERE meaning = 'rdma_tx_packets') AS tx,
       max(delta) FILTER (WHERE meaning = 'rdma_rx_packets') AS rx
  FROM temp.tally WHERE address IS NOT NULL GROUP BY address;
CREATE TEMP TABLE host_packets AS
SELECT address, max(seen) FILTER (WHERE meaning = 'rdma_tx_packets') AS tx,
       max(seen) FILTER (WHERE meaning = 'rdma_rx_packets') AS rx
  FROM temp.host_saw GROUP BY address;
CREATE INDEX temp.host_packets_by ON host_packets(tx, rx);
INSERT INTO counter_check(counted_id, what, counted, packets_min, verdict,
                          reason, settle)
SELECT c.counted_id, 'port', c.tx, p.tx, 'contradicts',
       c.who || ' counted what ' || min(o.address) || ' should have ('
         || human_count(c.tx) || ' RDMA packets sent, ' || human_count(c.rx)
         || ' received); the capture has ' || human_count(p.tx) || ' from '
         || c.address || ' and ' || human_count(p.rx) || ' to it',
       'Check which host and port the file is of.'
  FROM temp.host_count c
  JOIN temp.host_packets p ON p.address = c.address
  JOIN temp.host_packets o ON o.tx = c.tx AND o.rx = c.rx
                          AND o.address <> c.address
 WHERE c.tx > 9 AND c.rx > 9
   AND abs(c.tx - p.tx) > 64 + p.tx / 1000
   AND abs(c.rx - p.rx) > 64 + p.rx / 1000
   AND NOT EXISTS (SELECT 1 FROM counter_check k JOIN counted n
                      ON n.id = k.counted_id
                     JOIN temp.tally t ON t.counted_id = n.id
                    WHERE t.address = c.address AND k.verdict = 'contradicts'
                      AND k.what LIKE 'rdma_%')
 GROUP BY c.address HAVING count(*) = 1;

-- ## Clocks
--
-- A reading before the first packet of a host and one behind it bound how far its
-- clock is ahead, as do those around the last.  NICs may show counters up to two
-- seconds late, but none shows what is still to come.  A packet is on its way between
-- the port that counts it and the capture point: 10 ms is more than any queue holds,
-- and pauses may stop it as long as they last.
CREATE TEMP TABLE transit AS
SELECT 10000000 + ifnull(max(last_ns - first_ns), 0) AS ns FROM pause /*scan*/;

CREATE TEMP TABLE moved AS
SELECT source_id, meaning,
       max(at_ns) FILTER (WHERE value = low) AS s0,
       min(at_ns) FILTER (WHERE value > low) AS s1,
       max(at_ns) FILTER (WHERE value < high) AS e0,
       min(at_ns) FILTER (WHERE value = high) AS e1, high - low AS delta
  FROM (SELECT *, min(value) OVER p AS low, max(value) OVER p AS high
          FROM temp.reading
         WHERE timed = n AND n > 1
           AND meaning IN ('rdma_tx_packets', 'rdma_rx_packets', 'tx_packets',
                           'rx_packets')
        WINDOW p AS (PARTITION BY device, port, kind, name, priority))
 GROUP BY device, port, kind, name, priority;
CREATE TEMP TABLE host_time AS
SELECT src AS address, 'rdma_tx_packets' AS meaning, min(first_ns) AS a,
       max(last_ns) AS b FROM temp.sent GROUP BY src
UNION ALL
SELECT dst, 'rdma_rx_packets', min(first_ns), max(last_ns)
  FROM temp.received GROUP BY dst;
CREATE TEMP TABLE ahead AS
SELECT v.*, s.device, s.path, max(s0 - a, e0 - b) AS least,
       min(s1 - a, e1 - b) AS most,
       EXISTS (SELECT 1 FROM counted c
                WHERE c.source_id = v.source_id AND c.covers) AS covers
  FROM (SELECT m.*, h.seen, t.a, t.b
          FROM temp.moved m
          JOIN evidence_source s ON s.id = m.source_id AND s.why_not IS NULL
          JOIN temp.host_saw h ON h.address = s.address
                              AND h.meaning = m.meaning
          JOIN temp.host_time t ON t.address = s.address
                               AND t.meaning = m.meaning
        UNION ALL
        SELECT m.*, f.n, f.a, f.b
          FROM temp.moved m
          JOIN evidence_source s ON s.id = m.source_id
          JOIN temp.frames f ON f.node = s.node AND f.port = s.port
                            AND f.meaning = m.meaning) v
  JOIN evidence_source s ON s.id = v.source_id;
INSERT INTO counter_check(counted_id, what, counted, verdict, reason, settle)
WITH of_device AS (
  SELECT device, path, max(least) AS least, min(most) AS most,
         min(source_id) AS source_id, sum(delta) AS delta,
         count(*) AS counters, min(covers) AS covers
    FROM temp.ahead GROUP BY ifnull(device, path)
  HAVING min(delta = seen) AND max(delta) > 99
     AND max(least) < min(most) + (SELECT ns FROM temp.transit))
SELECT (SELECT min(id) FROM counted c WHERE c.source_id = d.source_id), 'clock',
       delta, iif(covers, 'contradicts', 'unused'),
       ifnull(device, path) || ' counted exactly the packets of the capture ('
         || human_count(delta) || ' by ' || plural(counters, 'counter')
         || '), but by its own clock '
         || CASE WHEN most < 0 THEN human_ns(-max(least, most)) || ' to '
                   || human_ns(-min(least, most)) || ' earlier'
                 ELSE human_ns(min(least, most)) || ' to '
                   || human_ns(max(least, most)) || ' later' END,
       'Compare the clock of this device with that of the capture'
         || CASE WHEN covers THEN '.'
                 ELSE '; where both are right, the same traffic ran twice, and '
                   || 'this is the other run.' END
  FROM of_device d
 WHERE most < -(SELECT ns FROM temp.transit)
    OR least > 2000000000 + (SELECT ns FROM temp.transit);
-- It replaces what only says that they were read at another time.
DELETE FROM counter_check
 WHERE what = 'clock' AND reason LIKE 'The counters of %'
   AND EXISTS (SELECT 1 FROM counted c
                 JOIN evidence_source s ON s.id = c.source_id
                 JOIN temp.ahead a ON ifnull(a.device, a.path) =
                                      ifnull(s.device, s.path)
                 JOIN counter_check k ON k.what = 'clock' AND k.id <>
                      counter_check.id
                 JOIN counted o ON o.id = k.counted_id
                 JOIN evidence_source z ON z.id = o.source_id
                WHERE c.id = counter_check.counted_id
                  AND ifnull(z.device, z.path) = ifnull(s.device, s.path)
                  AND k.reason NOT LIKE 'The counters of %');

DROP TABLE temp.passed;
DROP TABLE temp.beside;
DROP TABLE temp.frames;
DROP TABLE temp.counted_at;
DROP TABLE temp.cable;
DROP TABLE temp.host_count;
DROP TABLE temp.host_packets;
DROP TABLE temp.moved;
DROP TABLE temp.host_time;
DROP TABLE temp.ahead;
DROP TABLE temp.transit;
DROP TABLE temp.link_end;
DROP TABLE temp.tap_end;
DROP TABLE temp.reading;
DROP TABLE temp.tally;
DROP TABLE temp.sent;
DROP TABLE temp.received;
DROP TABLE temp.host_saw;
DROP TABLE temp.port_way;

-- Where was it congested?  The place of the cause of each answer: what taps and
-- topology decide, and otherwise what it lies between.
-- needs port_place

-- What has most of the cause, as in answer.root.  Where that is not enough for a
-- verdict, what was seen of the network was congested all the same; a host that
-- seems slow proves no place.
CREATE TEMP TABLE slow_answer AS
SELECT id, job, iteration FROM answer WHERE scope = 'iteration';
CREATE INDEX temp.slow_answer_by ON slow_answer(job, iteration);
CREATE TEMP TABLE most AS
WITH p AS (
  SELECT 1 + job AS id, class, measured, flow_id, other_flow_id, job, rank,
         sum(time_ns) AS ns
    FROM phase_share /*scan*/
   WHERE side IN ('network', 'host')
   GROUP BY job, class, measured, flow_id, other_flow_id, rank
  UNION ALL
  SELECT w.id, s.class, s.measured, s.flow_id, s.other_flow_id, s.job, s.rank,
         sum(s.time_ns)
    FROM phase_share s /*scan*/
    JOIN phase p ON p.id = s.phase_id
    JOIN temp.slow_answer w ON w.job = p.job AND w.iteration = p.iteration
   WHERE s.side IN ('network', 'host')
   GROUP BY w.id, s.class, s.measured, s.flow_id, s.other_flow_id, s.rank),
n AS (
  SELECT a.id, p.class, p.measured, p.flow_id, p.other_flow_id, p.job, p.rank,
         row_number() OVER (PARTITION BY a.id ORDER BY sum(p.ns) DESC, p.rank,
                            p.flow_id) AS nth
    FROM answer a
    JOIN p ON p.id = a.id AND p.class = a.cause
   WHERE a.verdict IN ('network', 'host', 'both')
      OR (a.verdict = 'undetermined'
          AND p.class IN ('queueing', 'loss', 'rate-cut', 'pause'))
   GROUP BY a.id, p.flow_id, p.other_flow_id, p.rank)
SELECT n.id, n.class, n.measured, f.src, f.dst, x.node AS from_node,
       y.node AS to_node, z.node AS rank_node,
       o.src = f.src AS shares_src, o.dst = f.dst AS shares_dst
  FROM n
  LEFT JOIN flow f ON f.id = n.flow_id
  LEFT JOIN flow o ON o.id = n.other_flow_id
  LEFT JOIN job_rank r ON r.job = n.job AND r.rank = n.rank
  LEFT JOIN node_address x ON x.address = f.src
  LEFT JOIN node_address y ON y.address = f.dst
  LEFT JOIN node_address z ON z.address = r.address
 WHERE n.nth = 1;
CREATE INDEX temp.most_by_hosts ON most(src, dst);
CREATE INDEX temp.most_by_id ON most(id);
DROP TABLE temp.slow_answer;

-- What happened to all flows between these hosts from one capture point to the
-- next.  A segment decides when it has more than half of it; where packets wait
-- less than 2 us on average, which is how long their own neighbors take, there is
-- no queue.
CREATE TEMP TABLE stretch AS
SELECT m.id, s.place, s.place_at,
       CASE m.class WHEN 'rate-cut' THEN sum(v.marked)
            WHEN 'loss' THEN sum(v.lost)
            ELSE iif(sum(v.packets * (v.delay_mean_ns - v.delay_min_ns))
                     >= 2000 * sum(v.packets),
                     sum(v.packets * (v.delay_mean_ns - v.delay_min_ns)),
                     0) END AS n
  FROM segment_flow v /*scan*/
  JOIN segment s ON s.id = v.segment_id
  JOIN flow g ON g.id = v.flow_id
  JOIN temp.most m ON m.src = g.src AND m.dst = g.dst
 WHERE s.adjacent AND m.class IN ('queueing', 'loss', 'rate-cut')
 GROUP BY m.id, s.place, s.place_at;
CREATE TEMP TABLE at AS
SELECT id, place, place_at, max(n) AS n
  FROM temp.stretch
 WHERE n > 0
 GROUP BY id
HAVING max(n) > 0.5 * sum(n);
CREATE INDEX temp.at_by_id ON at(id);
DROP TABLE temp.stretch;

-- A host waits for its own port where flows of it share its link, and the port of
-- its leaf where flows to it do.
INSERT INTO temp.at
SELECT m.id, q.place, q.node || '->' || q.next, NULL
  FROM temp.most m
  JOIN port_place q ON CASE
       WHEN m.class = 'host-nic'
       THEN q.node = ifnull(m.from_node, m.rank_node)
       WHEN m.shares_src THEN q.node = m.from_node
       WHEN m.shares_dst THEN q.next = m.to_node END
 WHERE m.class = 'host-nic'
    OR (m.class = 'queueing' AND m.measured LIKE 'link load%'
        AND m.id NOT IN (SELECT id FROM temp.at))
 GROUP BY m.id
HAVING count(*) = 1;

-- Pauses: of the port that sends them and stalled these flows longest, the port
-- that was full meanwhile, or why it pauses.
INSERT INTO temp.at
SELECT m.id, ifnull(q.place, p.place),
       ifnull(q.node || '->' || q.next, p.place_at), max(c.stalled_ns)
  FROM stalled_flow c /*scan*/
  JOIN flow g ON g.id = c.flow_id
  JOIN temp.most m ON m.src = g.src AND m.dst = g.dst AND m.class = 'pause'
  JOIN pause_sender p ON p.tap_id = c.tap_id AND p.source_mac = c.source_mac
                     AND p.priority IS c.priority
  LEFT JOIN flow w ON w.id = p.full_flow
  LEFT JOIN node_address z ON z.address = w.dst
  LEFT JOIN port_place q ON q.next = z.node
 GROUP BY m.id
HAVING ifnull(q.place, p.place) IS NOT NULL;

-- Pauses too short to stall a flow: those of the only port that sends any.
INSERT INTO temp.at
SELECT m.id, p.place, p.place_at, NULL
  FROM temp.most m
  JOIN (SELECT min(place) AS place, min(place_at) AS place_at
          FROM pause_sender /*scan*/
        HAVING count(*) = 1 AND min(place) IS NOT NULL) p
 WHERE m.class = 'pause' AND m.id NOT IN (SELECT id FROM temp.at);

-- Without a verdict, what waits at a port that its host paused for longer than the
-- network is known to have cost waits for the host.
UPDATE temp.at AS t
   SET (place, place_at) = (SELECT p.place, p.place_at
                              FROM pause_sender p /*scan*/
                              JOIN port_place q ON q.next = p.place_at
                             WHERE p.role = 'host'
                               AND t.place_at = q.node || '->' || q.next)
 WHERE EXISTS (SELECT 1 FROM pause_sender p /*scan*/
                 JOIN port_place q ON q.next = p.place_at
                 JOIN answer a ON a.id = t.id
                WHERE p.role = 'host' AND a.verdict = 'undetermined'
                  AND p.paused_ns > a.network_ns
                  AND t.place_at = q.node || '->' || q.next);

-- Marks that no two capture points enclose: upstream of one that sees them,
-- downstream of one that sees none.
CREATE TEMP TABLE side_of AS
SELECT m.id, m.from_node, m.to_node, t.name, t.from_node AS a, t.to_node AS b,
       max(ifnull(g.ce, 0) > 0) AS upstream
  FROM temp.most m
  JOIN flow g ON g.src = m.src AND g.dst = m.dst
  JOIN tap t ON t.id = g.tap_id
 WHERE m.class = 'rate-cut' AND m.id NOT IN (SELECT id FROM temp.at)
 GROUP BY m.id
HAVING count(DISTINCT t.id) = 1;
INSERT INTO temp.at
SELECT s.id, ifnull(q.place, 'unknown'),
       coalesce(q.node || '->' || q.next,
                iif(s.upstream, s.from_node || ' and ' || s.name,
                    s.name || ' and ' || s.to_node)), NULL
  FROM temp.side_of s
  LEFT JOIN port_place q
    ON CASE WHEN s.upstream THEN q.node = s.from_node AND q.next IN (s.a, s.b)
                             AND s.from_node IN (s.a, s.b)
            ELSE q.next = s.to_node AND q.node IN (s.a, s.b)
             AND s.to_node NOT IN (s.a, s.b) END;
DROP TABLE temp.side_of;

-- Else it is somewhere between the two hosts.
INSERT INTO temp.at
SELECT id, 'unknown', ifnull(from_node, src) || ' and ' || ifnull(to_node, dst),
       NULL
  FROM temp.most m
 WHERE class IN ('queueing', 'loss', 'rate-cut', 'pause') AND src IS NOT NULL
   AND id NOT IN (SELECT id FROM temp.at);
UPDATE answer AS a
   SET (place, place_at) = (SELECT place, place_at FROM temp.at t
                             WHERE t.id = a.id LIMIT 1)
 WHERE cause IS NOT NULL AND id IN (SELECT id FROM temp.at);
-- The capture's is that of the job which its reason is about; without a verdict
-- that of the job that lost most.
UPDATE answer AS a
   SET (place, place_at) =
       (SELECT b.place, b.place_at FROM answer b
         WHERE b.scope = 'job' AND b.place IS NOT NULL
           AND (a.verdict = 'undetermined'
                OR (b.root IS a.root AND b.cause IS a.cause))
         ORDER BY b.excess_ns DESC, b.id LIMIT 1)
 WHERE scope = 'capture' AND EXISTS (SELECT 1 FROM job);
UPDATE answer
   SET reason = reason || '; congested: '
         || iif(place = 'unknown', 'somewhere between', place) || ' '
         || place_at,
       line = line || '; congested: '
         || iif(place = 'unknown', 'somewhere between', place) || ' '
         || place_at
 WHERE place IS NOT NULL;
DROP TABLE temp.at;
DROP TABLE temp.most;

-- Parallel links compared.
--
-- (And first, what the topology file says of CSIG locators.)
UPDATE csig SET stage = locator >> m.value,
                port = locator & ((1 << m.value) - 1)
  FROM (SELECT cast(value AS INTEGER) AS value FROM meta
         WHERE key = 'csig_port_bits') m;

-- Who are parallel, in this order: the groups of the topology file; taps of one
-- place (they carry the same flows, never the same packets, and at the same
-- time: pieces of one capture do not; the two directions of links are two
-- groups); taps whose names
-- are links from one node to a numbered row of others (leaf1->spine1,
-- leaf1->spine2).  Without any of these nothing below finds a row.
CREATE TEMP TABLE beside AS
SELECT id, name, place, direction
  FROM (SELECT id, name, place, direction, first_ns, last_ns,
               max(last_ns) OVER (beside ROWS BETWEEN UNBOUNDED PRECEDING
                                          AND 1 PRECEDING) AS busy_till,
               lead(first_ns) OVER beside AS next_ns
          FROM tap /*scan*/
         WHERE packets > 0 AND place IS NOT NULL
        WINDOW beside AS (PARTITION BY place, direction
                          ORDER BY first_ns, id))
 WHERE (busy_till > first_ns OR next_ns < last_ns)
   AND id NOT IN (SELECT tap_id FROM link_member WHERE tap_id IS NOT NULL)
 ORDER BY id;
CREATE INDEX temp.beside_place ON beside(place, direction);
CREATE TEMP TABLE parallel AS
SELECT place, direction, group_concat(name, ', ') AS name,
       (SELECT ifnull(max(id), 0) FROM link_group)
         + row_number() OVER (ORDER BY place, direction) AS id
  FROM (SELECT * FROM temp.beside ORDER BY id)
 GROUP BY place, direction
HAVING count(*) > 1;
INSERT INTO link_member(group_id, member, tap_id)
SELECT p.id, t.id || ' ' || ifnull(t.name, ''), t.id
  FROM temp.parallel p
  JOIN temp.beside t ON t.place = p.place AND t.direction IS p.direction;
DROP TABLE temp.beside;
INSERT INTO link_group(id, name, source, members)
SELECT id, name, 'traffic', NULL FROM temp.parallel;
DROP TABLE temp.parallel;

CREATE TEMP TABLE named AS
SELECT id, name, substr(name, 1, instr(name, '->') - 1) AS node,
       rtrim(substr(name, instr(name, '->') + 2), '0123456789') AS far
  FROM tap
 WHERE instr(name, '->') > 1
   AND (SELECT count(*) FROM tap) <= 1024 -- more is no list of links
   AND rtrim(name, '0123456789') <> name
   AND id NOT IN (SELECT tap_id FROM link_member WHERE tap_id IS NOT NULL);
INSERT INTO link_group(id, name, source, members)
SELECT (SELECT ifnull(max(id), 0) FROM link_group)
         + row_number() OVER (ORDER BY node, far),
       node || '->' || far || '*', 'names', NULL
  FROM temp.named GROUP BY node, far HAVING count(*) > 1;
INSERT INTO link_member(group_id, member, tap_id)
SELECT g.id, n.name, n.id
  FROM temp.named n
  JOIN link_group g ON g.source = 'names'
                   AND g.name = n.node || '->' || n.far || '*'
 WHERE true
    ON CONFLICT DO NOTHING;
DROP TABLE temp.named;

-- Flows that stayed on one link of a group are rows like the others.
INSERT INTO flow_tap(flow_id, tap_id, packets, bytes, first_ns, last_ns,
                     first_port, last_port)
SELECT f.id, f.tap_id, f.packets, f.bytes, f.first_ns, f.last_ns, f.udp_sport,
       CASE WHEN f.udp_sports = 1 THEN f.udp_sport END
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM link_member))
 CROSS JOIN flow f
 WHERE f.tap_id IN (SELECT tap_id FROM link_member)
   AND f.id NOT IN (SELECT flow_id FROM link_change);

-- What the members carried in the direction of the group: where a tap shows both
-- and the hosts are known, the other direction is left out.
CREATE TEMP TABLE carried AS
SELECT m.group_id, m.tap_id, ft.flow_id, ft.packets, ft.bytes
  FROM link_member m
  JOIN tap t ON t.id = m.tap_id
  JOIN flow_tap ft ON ft.tap_id = m.tap_id
  JOIN flow f ON f.id = ft.flow_id
  LEFT JOIN node_address sa ON t.both_ways AND sa.address = f.src
  LEFT JOIN node s ON s.name = sa.node
  LEFT JOIN node_address da ON t.both_ways AND da.address = f.dst
  LEFT JOIN node d ON d.name = da.node
 WHERE NOT ifnull(s.attached = t.to_node OR d.attached = t.from_node
                    OR sa.node = t.to_node OR da.node = t.from_node, 0);
CREATE INDEX temp.carried_by_group ON carried(group_id, flow_id);

INSERT INTO balance_member(group_id, member, tap_id, flows, packets, bytes,
                           share, utilization, utilization_peak, ect, ce)
WITH span AS (
  SELECT m.group_id, max(t.last_ns) - min(t.first_ns) AS ns
    FROM link_member m
    JOIN tap t ON t.id = m.tap_id AND t.packets > 0 GROUP BY m.group_id),
width AS (
  SELECT m.group_id, max(b.width_ns) AS ns
    FROM link_member m
    JOIN bin b ON b.scope = 'tap' AND b.scope_id = m.tap_id
   GROUP BY m.group_id),
peak AS (
  SELECT group_id, tap_id, max(bits) * 1e9 / ns AS bps
    FROM (SELECT m.group_id, m.tap_id, w.ns,
                 sum(8.0 * (b.bytes + 24 * b.packets)) AS bits
            FROM link_member m
            JOIN width w ON w.group_id = m.group_id
            JOIN bin b ON b.scope = 'tap' AND b.scope_id = m.tap_id
           GROUP BY m.group_id, m.tap_id, b.start_ns / w.ns)
   GROUP BY group_id, tap_id),
sums AS (
  SELECT c.group_id, c.tap_id, count(*) AS flows, sum(c.packets) AS packets,
         sum(c.bytes) AS bytes, sum(f.ce) AS ce, sum(f.ect) AS ect
    FROM temp.carried c JOIN flow f ON f.id = c.flow_id
   GROUP BY c.group_id, c.tap_id)
SELECT m.group_id, m.member, m.tap_id,
       CASE WHEN m.tap_id IS NOT NULL THEN ifnull(s.flows, 0) END,
       CASE WHEN m.tap_id IS NOT NULL THEN ifnull(s.packets, 0) END,
       CASE WHEN m.tap_id IS NOT NULL THEN ifnull(s.bytes, 0) END,
       CASE WHEN m.tap_id IS NOT NULL
            THEN 1.0 * ifnull(s.bytes, 0)
                   / nullif(sum(s.bytes) OVER (PARTITION BY m.group_id), 0) END,
       8e9 * (ifnull(s.bytes, 0) + 24 * ifnull(s.packets, 0))
         / t.speed_bps / nullif(a.ns, 0),
       CASE WHEN ifnull(t.both_ways, 0) = 0
            THEN ifnull(p.bps, 0) / t.speed_bps END,
       CASE WHEN t.both_ways THEN s.ect ELSE t.ect END,
       CASE WHEN t.both_ways THEN s.ce ELSE t.ce END
  FROM link_member m
  LEFT JOIN tap t ON t.id = m.tap_id
  LEFT JOIN span a ON a.group_id = m.group_id
  LEFT JOIN sums s ON s.group_id = m.group_id AND s.tap_id = m.tap_id
  LEFT JOIN peak p ON p.group_id = m.group_id AND p.tap_id = m.tap_id
 WHERE true
    ON CONFLICT DO NOTHING;

-- How each flow used its group.  A few packets tell nothing.
INSERT INTO balance_flow(group_id, flow_id, mode, links, idle_ns, confidence)
SELECT c.group_id, f.id,
       CASE WHEN f.packets < 64 THEN NULL
            WHEN f.sport_changes * 20 > f.packets AND f.udp_sports > 1
            THEN 'nic-spray'
            WHEN s.flow_id IS NULL THEN 'ecmp'
            WHEN s.moves * 1000 < f.packets OR s.moves < 3 THEN 'ecmp'
            WHEN s.burst_moves > 0.2 * s.burst_packets
            THEN CASE WHEN s.fairness_pm < 850 THEN 'adaptive'
                      ELSE 'spray' END
            WHEN s.burst_moves <= 0.02 * s.burst_packets
                   AND s.idle_moves >= 0.9 * s.moves
            THEN 'flowlet' END,
       ifnull(s.links, 1),
       CASE WHEN s.burst_moves <= 0.02 * s.burst_packets
            THEN s.idle_ns END,
       CASE WHEN f.packets < 64 THEN NULL
            WHEN s.flow_id IS NULL THEN 0.9
            WHEN s.moves < 3 THEN 0.7
            ELSE min(0.95, 0.6 + s.moves / 100.0) END
  FROM (SELECT DISTINCT group_id, flow_id FROM temp.carried) c
  JOIN flow f ON f.id = c.flow_id
  LEFT JOIN link_change s ON s.flow_id = f.id;

-- Are all links here that this traffic may take?  The topology file knows; else
-- that flows which change links miss nothing here proves it.
CREATE TEMP TABLE whole AS
SELECT g.id AS group_id,
       (SELECT count(*) FROM link_member m WHERE m.group_id = g.id) AS listed,
       (SELECT count(*) FROM link_member m
         WHERE m.group_id = g.id AND m.tap_id IS NOT NULL) AS tapped,
       g.members,
       (SELECT count(*) > 0
                 AND sum(ifnull(f.unresolved, 1) + ifnull(f.capture_missing, 0))
                     = 0
                 AND NOT sum(f.spray_suspect)
          FROM balance_flow b
          JOIN flow f ON f.id = b.flow_id
         WHERE b.group_id = g.id AND b.links > 1) AS proven
  FROM link_group g;
UPDATE link_group SET members = w.tapped
  FROM temp.whole w
 WHERE w.group_id = id AND w.members IS NULL AND w.proven;

INSERT INTO balance(group_id, tapped, members, whole, why, flows, packets,
                    bytes, mode)
SELECT g.id, w.tapped, g.members, w.tapped = g.members,
       CASE WHEN g.members IS NULL
            THEN 'how many links there are is not known: give them in a '
                   || 'topology file'
            WHEN w.tapped < g.members
            THEN 'partial: ' || w.tapped || ' of ' || g.members
                   || ' links are captured' END,
       (SELECT count(DISTINCT flow_id) FROM temp.carried c
         WHERE c.group_id = g.id),
       (SELECT sum(packets) FROM balance_member m WHERE m.group_id = g.id),
       (SELECT sum(bytes) FROM balance_member m WHERE m.group_id = g.id),
       (SELECT mode FROM (SELECT b.mode, sum(f.bytes) AS bytes
                            FROM balance_flow b
                            JOIN flow f ON f.id = b.flow_id
                           WHERE b.group_id = g.id AND b.mode IS NOT NULL
                           GROUP BY b.mode)
         ORDER BY bytes DESC LIMIT 1)
  FROM link_group g
  JOIN temp.whole w ON w.group_id = g.id;

-- The figures of merit need every eligible link, idle ones too.
UPDATE balance SET mmr_flows = v.flows, mmr_bytes = v.bytes, jfi = v.jfi,
                   busiest_tap_id = v.busiest
  FROM (SELECT m.group_id,
               1.0 * max(m.flows) * count(*) / nullif(sum(m.flows), 0)
                 AS flows,
               1.0 * max(m.bytes) * count(*) / nullif(sum(m.bytes), 0)
                 AS bytes,
               1.0 * sum(m.bytes) * sum(m.bytes)
                 / nullif(count(*) * sum(1.0 * m.bytes * m.bytes), 0) AS jfi,
               (SELECT b.tap_id FROM balance_member b
                 WHERE b.group_id = m.group_id
                 ORDER BY b.bytes DESC LIMIT 1) AS busiest
          FROM balance_member m GROUP BY m.group_id) v
 WHERE v.group_id = balance.group_id AND whole;

-- The same over time; windows in which hardly anything passed tell nothing.
CREATE TEMP TABLE stretch AS
SELECT m.group_id, b.start_ns / w.ns AS nth, w.ns, m.tap_id,
       sum(b.bytes) AS bytes, sum(b.packets) AS packets
  FROM link_member m
  JOIN (SELECT m.group_id, max(b.width_ns) AS ns
          FROM link_member m
          JOIN bin b ON b.scope = 'tap' AND b.scope_id = m.tap_id
          JOIN balance a ON a.group_id = m.group_id AND a.whole
         GROUP BY m.group_id) w ON w.group_id = m.group_id
  JOIN bin b ON b.scope = 'tap' AND b.scope_id = m.tap_id
 WHERE NOT EXISTS (SELECT 1 FROM link_member o
                    JOIN tap t ON t.id = o.tap_id
                   WHERE o.group_id = m.group_id AND t.both_ways)
 GROUP BY 1, 2, 4;
UPDATE balance SET window_ns = v.ns, jfi_p5 = v.p5, jfi_p50 = v.p50
  FROM (SELECT group_id, ns,
               min(CASE WHEN rank * 20 >= n THEN jfi END) AS p5,
               min(CASE WHEN rank * 2 >= n THEN jfi END) AS p50
          FROM (SELECT *, row_number() OVER (PARTITION BY group_id
                                                 ORDER BY jfi) AS rank,
                       count(*) OVER (PARTITION BY group_id) AS n
                  FROM (SELECT s.group_id, s.ns,
                               1.0 * sum(s.bytes) * sum(s.bytes)
                                 / (a.members * sum(1.0 * s.bytes * s.bytes))
                                 AS jfi
                          FROM temp.stretch s
                          JOIN balance a ON a.group_id = s.group_id
                         GROUP BY s.group_id, s.nth
                        HAVING sum(s.packets) >= 8 * a.members))
         GROUP BY group_id) v
 WHERE v.group_id = balance.group_id;
-- How long was a link full while another one of the group was hardly used?
UPDATE balance SET busy_ns = v.busy, crowded_ns = v.crowded
  FROM (SELECT group_id, count(*) * ns AS busy,
               sum(full AND (links < members OR 2 * least * members < total))
                 * ns AS crowded
          FROM (SELECT s.group_id, s.ns, a.members, count(*) AS links,
                       min(s.bytes) AS least, sum(s.bytes) AS total,
                       max(8e9 * (s.bytes + 24 * s.packets)
                             >= 0.9 * t.speed_bps * s.ns) AS full
                  FROM temp.stretch s
                  JOIN tap t ON t.id = s.tap_id
                  JOIN balance a ON a.group_id = s.group_id
                 GROUP BY s.group_id, s.nth
                HAVING sum(s.packets) >= 8 * a.members)
         GROUP BY group_id) v
 WHERE v.group_id = balance.group_id;
DROP TABLE temp.stretch;

-- What a hash has to work with: UDP source ports, and flows as ECMP sees them.
UPDATE balance SET entropy_bits = v.bits
  FROM (SELECT group_id, entropy(bytes) AS bits
          FROM (SELECT c.group_id, f.udp_sport, sum(c.bytes) AS bytes
                  FROM temp.carried c JOIN flow f ON f.id = c.flow_id
                 WHERE f.udp_sports = 1
                 GROUP BY c.group_id, f.udp_sport)
         GROUP BY group_id) v
 WHERE v.group_id = balance.group_id
   AND NOT EXISTS (SELECT 1 FROM temp.carried c
                     JOIN flow f ON f.id = c.flow_id
                    WHERE c.group_id = balance.group_id AND f.udp_sports > 1);
-- Does the hash look at the queue pair?  Only where queue pairs share all else.
UPDATE balance SET hash_input = v.input
  FROM (SELECT group_id, CASE WHEN max(taps) > 1 THEN '5-tuple and QP'
                              ELSE '5-tuple' END AS input
          FROM (SELECT c.group_id, count(DISTINCT c.flow_id) AS flows,
                       count(DISTINCT c.tap_id) AS taps
                  FROM temp.carried c
                  JOIN balance_flow b ON b.group_id = c.group_id
                                     AND b.flow_id = c.flow_id
                                     AND b.mode = 'ecmp' AND b.links = 1
                  JOIN flow f ON f.id = c.flow_id
                 GROUP BY c.group_id, f.src, f.dst, f.udp_sport
                HAVING count(DISTINCT c.flow_id) > 1)
         GROUP BY group_id
        HAVING max(taps) > 1 OR sum(flows) - count(*) > 3) v
 WHERE v.group_id = balance.group_id;
UPDATE balance SET effective_flows = v.flows, chance = v.chance
  FROM (SELECT t.group_id, pow(2, entropy(t.bytes)) AS flows,
               CASE WHEN a.mode = 'ecmp'
                    THEN chance(t.bytes, a.members,
                                (SELECT max(m.bytes) FROM balance_member m
                                  WHERE m.group_id = t.group_id)) END AS chance
          FROM (SELECT c.group_id, sum(c.bytes) AS bytes
                  FROM temp.carried c JOIN flow f ON f.id = c.flow_id
                  JOIN balance a ON a.group_id = c.group_id AND a.whole
                 GROUP BY c.group_id, f.src, f.dst, f.udp_sport,
                          CASE WHEN a.hash_input = '5-tuple and QP'
                               THEN f.id END
                 ORDER BY sum(c.bytes) DESC) t
          JOIN balance a ON a.group_id = t.group_id
         GROUP BY t.group_id) v
 WHERE v.group_id = balance.group_id;

-- Groups of links that a layer uses in part because the layer before has chosen
-- by the same hash: flows of one link there, on one link here.
UPDATE balance SET polarized = 1
 WHERE group_id IN (
WITH here AS (
  SELECT b.group_id, b.members, b.effective_flows, b.flows,
         (SELECT count(*) FROM balance_member m
           WHERE m.group_id = b.group_id AND m.bytes > 0) AS used,
         b.busiest_tap_id AS tap_id
    FROM balance b
   WHERE b.whole AND b.mode = 'ecmp' AND b.effective_flows >= 8),
came AS (
  SELECT h.group_id, m2.group_id AS before, count(DISTINCT m2.tap_id) AS links,
         count(*) AS flows
    FROM here h
    JOIN balance_flow bf ON bf.group_id = h.group_id
    JOIN flow f ON f.id = bf.flow_id
    JOIN flow o ON o.src = f.src AND o.dst = f.dst AND o.dst_qp = f.dst_qp
               AND o.epoch = f.epoch AND o.id <> f.id
    JOIN flow_tap ot ON ot.flow_id = o.id
    JOIN link_member m2 ON m2.tap_id = ot.tap_id AND m2.group_id <> h.group_id
   WHERE h.used < h.members
   GROUP BY h.group_id, m2.group_id)
SELECT h.group_id
  FROM here h
 WHERE h.used < h.members
   AND pow(1.0 * h.used / h.members, h.effective_flows) * h.members < 0.05
   AND EXISTS (SELECT 1 FROM came c
                 JOIN balance b ON b.group_id = c.before
                WHERE c.group_id = h.group_id AND c.links = 1
                  AND c.flows * 2 >= h.flows AND b.jfi >= 0.6));

DROP TABLE temp.whole;
DROP TABLE temp.carried;

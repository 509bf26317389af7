-- Which output port lies between two capture points, and what kind of place is
-- it?  By the links of the topology file: without one no place is named.
-- needs node

-- The places of congestion: what each name means, here and nowhere else.
INSERT INTO congestion_place VALUES
  ('host egress', 'the port of a sending host, its NIC or bus: flows of one host '
     || 'share it, or the NIC sends slower than its link'),
  ('leaf uplink', 'output port of a leaf switch to a switch of the next tier: '
     || 'more leaves the leaf than its uplinks carry, or flows are hashed to '
     || 'one of them'),
  ('spine downlink', 'output port of a spine switch to a leaf: flows from '
     || 'several leaves meet there'),
  ('leaf downlink', 'output port of a leaf switch to a host: several senders '
     || 'to one receiver (incast)'),
  ('receiver NIC', 'a host that takes less than its link brings, and sends '
     || 'pauses'),
  ('storage', 'the port to or from a storage host, or its NIC'),
  ('spine uplink', 'output port of a spine switch to the tier above (three '
     || 'tiers)'),
  ('super-spine downlink', 'output port of the third tier to a spine'),
  ('switch link', 'output port between switches that both have hosts, or of '
     || 'one tier (torus, dragonfly, MLAG peer link)'),
  ('unknown', 'several ports lie between the capture points, and they do not '
     || 'show which of them');

-- By the topology file, or because it is connected to as one.
CREATE TEMP TABLE storage_node AS
SELECT name FROM node WHERE storage UNION
SELECT a.node FROM storage_flow s JOIN node_address a ON a.address = s.target
UNION
SELECT a.node FROM nvme_tcp t
  JOIN node_address a
    ON a.address = iif(t.dst_port IN (4420, 8009), t.dst, t.src);
CREATE TEMP TABLE cable AS
SELECT a, b FROM link UNION
SELECT b, a FROM link UNION
SELECT name, attached FROM node WHERE attached IS NOT NULL UNION
SELECT attached, name FROM node WHERE attached IS NOT NULL;
CREATE INDEX temp.cable_by_ends ON cable(a, b);
-- A switch need not have a section of its own: what else links name is one.
CREATE TEMP TABLE vertex AS
SELECT name, kind FROM node UNION
SELECT DISTINCT a, 'switch' FROM temp.cable
 WHERE a NOT IN (SELECT name FROM node);
CREATE INDEX temp.vertex_by_name ON vertex(name);
-- A leaf has hosts; the tier of a switch is its distance from them.
CREATE TEMP TABLE tier AS
WITH RECURSIVE t(name, tier) AS (
  SELECT c.b, 1 FROM temp.vertex n JOIN temp.cable c ON c.a = n.name
   WHERE n.kind = 'host'
  UNION
  SELECT c.b, t.tier + 1
    FROM t
    JOIN temp.cable c ON c.a = t.name
    JOIN temp.vertex n ON n.name = c.b AND n.kind = 'switch'
   WHERE t.tier < 4)
SELECT name, min(tier) AS tier FROM t GROUP BY name;
CREATE INDEX temp.tier_by_name ON tier(name);
INSERT INTO port_place(node, next, place)
SELECT c.a, c.b,
       CASE WHEN c.a IN temp.storage_node OR c.b IN temp.storage_node THEN 'storage'
            WHEN a.kind = 'host' THEN 'host egress'
            WHEN b.kind = 'host' THEN 'leaf downlink'
            WHEN s.tier < t.tier
            THEN iif(s.tier = 1, 'leaf uplink', 'spine uplink')
            WHEN s.tier > t.tier
            THEN iif(t.tier = 1, 'spine downlink', 'super-spine downlink')
            ELSE 'switch link' END
  FROM temp.cable c
  JOIN temp.vertex a ON a.name = c.a
  JOIN temp.vertex b ON b.name = c.b
  LEFT JOIN temp.tier s ON s.name = c.a
  LEFT JOIN temp.tier t ON t.name = c.b;
DROP TABLE temp.tier;
DROP TABLE temp.cable;

-- A capture point stands on one link, or on several that are parallel.  Where two
-- follow each other on the path, what lies between is the output port of the
-- node that both links have in common.
CREATE TEMP TABLE standing AS
SELECT DISTINCT place, from_node AS a, to_node AS b FROM tap
 WHERE from_node IS NOT NULL
UNION
SELECT DISTINCT place, to_node, from_node FROM tap
 WHERE from_node IS NOT NULL;
CREATE INDEX temp.standing_by_place ON standing(place, a, b);
CREATE TEMP TABLE between_port AS
SELECT s.id, count(DISTINCT p.place) AS places, min(p.place) AS place,
       group_concat(DISTINCT p.node || '->' || p.next) AS place_at
  FROM segment s /*scan*/
  JOIN tap x ON x.id = s.from_tap_id
  JOIN tap y ON y.id = s.to_tap_id
  JOIN temp.standing v ON v.place = x.place
  JOIN temp.standing w ON w.place = y.place AND w.a = v.b AND w.b <> v.a
  JOIN port_place p ON p.node = w.a AND p.next = w.b
 WHERE s.adjacent
 GROUP BY s.id;
CREATE INDEX temp.between_port_by_id ON between_port(id);
UPDATE segment AS s
   SET (place, place_at) =
       (SELECT iif(p.places = 1, p.place, 'unknown'),
               iif(p.places = 1, p.place_at, x.name || ' and ' || y.name)
          FROM tap x
          JOIN tap y ON y.id = s.to_tap_id
          LEFT JOIN temp.between_port p ON p.id = s.id
         WHERE x.id = s.from_tap_id)
 WHERE adjacent;
DROP TABLE temp.between_port;
DROP TABLE temp.standing;

-- Why a port sends pauses: a host does because of itself; a switch because of a
-- port that all flows it holds back leave by, where that is a port to a host of its
-- own, or to the leaf of one.
UPDATE pause_sender AS p
   SET (place, place_at) =
       (SELECT iif(n.name IN temp.storage_node, 'storage', 'receiver NIC'), n.name
          FROM node_address a JOIN node n ON n.name = a.node
         WHERE a.address = p.host)
 WHERE role = 'host';
CREATE TEMP TABLE pauser AS
SELECT p.tap_id, p.source_mac, p.priority,
       CASE WHEN x.kind = 'switch' AND ifnull(y.kind, '') <> 'switch'
            THEN x.name
            WHEN y.kind = 'switch' AND ifnull(x.kind, '') <> 'switch'
            THEN y.name
            WHEN NOT t.both_ways THEN t.from_node END AS switch
  FROM pause_sender p /*scan*/
  JOIN tap t ON t.id = p.tap_id
  LEFT JOIN temp.vertex x ON x.name = t.from_node
  LEFT JOIN temp.vertex y ON y.name = t.to_node
 WHERE p.role = 'switch';
DROP TABLE temp.vertex;
CREATE TEMP TABLE held AS
SELECT DISTINCT p.tap_id, p.source_mac, p.priority, p.switch, f.dst
  FROM temp.pauser p
  JOIN stalled_flow c ON c.tap_id = p.tap_id AND c.source_mac = p.source_mac
                     AND c.priority IS p.priority AND c.part = 'contributor'
  JOIN flow f ON f.id = c.flow_id
 WHERE p.switch IS NOT NULL;
CREATE TEMP TABLE held_at AS
SELECT h.tap_id, h.source_mac, h.priority, count(*) AS flows,
       count(q.node) AS known, count(DISTINCT q.next) AS ports,
       min(q.place) AS place, min(q.node || '->' || q.next) AS place_at,
       h.switch, min(a.node) AS host, count(DISTINCT a.node) AS hosts
  FROM temp.held h
  LEFT JOIN node_address a ON a.address = h.dst
  LEFT JOIN node n ON n.name = a.node
  LEFT JOIN port_place q ON q.node = h.switch
                        AND q.next = iif(EXISTS
                            (SELECT 1 FROM port_place d
                              WHERE d.node = h.switch AND d.next = a.node),
                            a.node,
                            (SELECT max(d.next) FROM port_place d
                              WHERE d.node = a.node
                             HAVING count(*) = 1))
 GROUP BY h.tap_id, h.source_mac, h.priority;
UPDATE pause_sender AS p
   SET place = iif(h.flows = h.known AND h.ports = 1, h.place, 'unknown'),
       place_at = iif(h.flows = h.known AND h.ports = 1, h.place_at,
                      h.switch || ' and '
                        || iif(h.hosts = 1, h.host, 'receivers'))
  FROM temp.held_at h
 WHERE h.tap_id = p.tap_id AND h.source_mac = p.source_mac
   AND h.priority IS p.priority;
DROP TABLE temp.held_at;
DROP TABLE temp.held;
DROP TABLE temp.pauser;
DROP TABLE temp.storage_node;

-- 5.1 How much of the links was used, and how efficiently?
--
-- into kpi
-- Where no topology file says what passes a tap, its flows do: with one and its
-- peer it has both directions of a link.
WITH two AS (
  SELECT DISTINCT f.tap_id
    FROM flow f /*scan*/
    JOIN flow p ON p.id = f.peer_flow_id AND p.tap_id = f.tap_id),
t AS (
  SELECT t.id, t.name, t.speed_bps,
         8e9 * sum(b.bytes + 24 * b.packets)
           / nullif(max(b.start_ns + b.width_ns) - min(b.start_ns), 0)
           / t.speed_bps AS used
    FROM tap t
    JOIN bin b ON b.scope = 'tap' AND b.scope_id = t.id
   WHERE t.speed_bps > 0
     AND NOT coalesce(t.both_ways, t.id IN (SELECT tap_id FROM two))
   GROUP BY t.id),
e AS (
  SELECT sum(goodput) AS goodput, sum(wire) AS wire, sum(flows) AS n
    FROM service /*scan*/ WHERE carried)
SELECT 'Port utilization, mean' AS name, '5.1' AS section, 2 AS place,
       100 * avg(used) AS value, '%' AS unit, 'NT' AS class,
       0.8 AS confidence,
       'link speeds (--topology) of taps that show one direction' AS missing,
       'of ' || plural(count(*), 'tapped link') || ' with known speed'
         AS note, count(*) AS samples
  FROM t
UNION ALL
SELECT 'Port utilization, highest', '5.1', 3, 100 * max(used), '%', 'NT', 0.8,
       'link speeds (--topology) of taps that show one direction',
       (SELECT name FROM t ORDER BY used DESC LIMIT 1), count(*)
  FROM t
UNION ALL
SELECT 'Throughput efficiency', '5.1', 4, 100.0 * goodput / nullif(wire, 0),
       '%', '1T', 0.9, 'packets with payload',
       'goodput over bytes on the wire, preamble and interframe gap included: '
         || 'independent of the link speed', n
  FROM e

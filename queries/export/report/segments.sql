-- What happened between capture points, in the course of time?
-- The sums of table segment over time: all packets count, also those of events
-- for which there was no room.  Of what happened anywhere, the intervals in which
-- it did, the first and the last; no more of them than a screen shows.
--
-- param points count 300  maximum number of intervals
-- param parts count 8  number of segments, those with most loss first
-- column what text  as in table segment: lost, missed, marked, reordered ...
-- column name text  from one place to the next
-- column start_ns time  begin of the interval
-- column width_ns duration  its length, the same everywhere
-- column value count  packets
--
-- example fabscope query DB report/segments --param points=100
WITH some AS MATERIALIZED (
  SELECT s.id, a.name || ' > ' || b.name AS name
    FROM segment s /*scan*/
    JOIN tap a ON a.id = s.from_tap_id
    JOIN tap b ON b.id = s.to_tap_id
   WHERE s.adjacent
   ORDER BY s.lost + s.trimmed + s.corrupted DESC, s.marked DESC, s.id
   LIMIT :parts),
span AS MATERIALIZED (
  SELECT max(width_ns) AS ns, min(start_ns) AS first,
         max(start_ns + width_ns) AS last
    FROM segment_bin /*scan*/),
grid AS MATERIALIZED (
  SELECT ns * max(1, ((last - first) / ns + :points - 1) / :points) AS width
    FROM span),
summed AS MATERIALIZED (
  SELECT s.name, b.start_ns / g.width * g.width AS start_ns,
         sum(b.lost) AS lost, sum(b.missed_to + b.missed_from) AS missed,
         sum(b.open) AS open, sum(b.trimmed) AS trimmed,
         sum(b.corrupted) AS corrupted, sum(b.marked) AS marked,
         sum(b.reordered) AS reordered, sum(b.duplicated) AS duplicated
    FROM some s
    JOIN segment_bin b /*scan*/ ON b.segment_id = s.id, grid g
   GROUP BY s.id, b.start_ns / g.width),
series AS (
  SELECT 1 AS o, 'lost' AS what, name, start_ns, lost AS value FROM summed
  UNION ALL SELECT 2, 'trimmed', name, start_ns, trimmed FROM summed
  UNION ALL SELECT 3, 'corrupted', name, start_ns, corrupted FROM summed
  UNION ALL SELECT 4, 'marked', name, start_ns, marked FROM summed
  UNION ALL SELECT 5, 'reordered', name, start_ns, reordered FROM summed
  UNION ALL SELECT 6, 'duplicated', name, start_ns, duplicated FROM summed
  UNION ALL SELECT 7, 'missed', name, start_ns, missed FROM summed
  UNION ALL SELECT 8, 'open', name, start_ns, open FROM summed)
SELECT t.what, t.name, t.start_ns, g.width AS width_ns, t.value
  FROM series t, grid g
 WHERE t.value > 0
    OR t.start_ns IN ((SELECT min(start_ns) FROM summed),
                      (SELECT max(start_ns) FROM summed))
       AND t.o IN (SELECT o FROM series WHERE value > 0)
 ORDER BY t.o, t.name, t.start_ns

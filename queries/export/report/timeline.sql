-- What happened when, in no more intervals than a screen shows?
-- Only intervals in which there is something to count.  Of the taps the twelve
-- with most packets, of the priorities of links the sixteen paused longest.
-- Events are counted by kind; `packets` is what they concern, each trimmed one
-- once, and those of a flow at several taps as the tap tells that knows most.
--
-- param points count 500  maximum number of intervals
-- column what text  load, ce, cnp, retransmitted, paused, event
-- column name text  tap, tap and priority, or event.kind
-- column start_ns time  begin of the interval
-- column width_ns duration  its length, the same everywhere
-- column value real  load: bit/s; paused: ns; event: packets; else packets
--
-- uses trim-events
-- uses events-dedup
-- example fabscope query DB report/timeline --param points=100
WITH fine AS MATERIALIZED (
  SELECT ifnull(max(width_ns), 100000) AS ns
    FROM bin WHERE scope IN ('tap', 'priority')),
span AS MATERIALIZED (
  SELECT min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM capture /*scan*/ WHERE packets > 0),
-- bins begin at multiples of their width, and so do these
grid AS MATERIALIZED (
  SELECT ns * max(1, ((last_ns - first_ns) / ns + :points) / :points) AS width
    FROM fine, span),
some_taps AS MATERIALIZED (
  SELECT id, name FROM tap /*scan*/ ORDER BY packets DESC, id LIMIT 12),
passed AS MATERIALIZED (
  SELECT t.name, b.start_ns / g.width * g.width AS start_ns,
         sum(b.bytes) AS bytes, sum(b.ce) AS ce, sum(b.cnp) AS cnp,
         sum(b.retransmitted) AS retransmitted
    FROM some_taps t
   CROSS JOIN bin b ON b.scope = 'tap' AND b.scope_id = t.id
   CROSS JOIN grid g
   GROUP BY t.id, b.start_ns / g.width),
some_priorities AS MATERIALIZED (
  SELECT b.tap_id, b.scope_id AS priority
    FROM bin b
   WHERE b.scope = 'priority' AND b.paused_ns > 0
   GROUP BY b.tap_id, b.scope_id
   ORDER BY sum(b.paused_ns) DESC, b.tap_id, b.scope_id LIMIT 16),
silenced AS (
  SELECT t.name || ' priority ' || p.priority AS name,
         b.start_ns / g.width * g.width AS start_ns,
         sum(b.paused_ns) AS paused_ns
    FROM some_priorities p
    JOIN bin b ON b.scope = 'priority' AND b.scope_id = p.priority
              AND b.tap_id = p.tap_id
    JOIN tap t ON t.id = p.tap_id, grid g
   WHERE b.paused_ns > 0
   GROUP BY p.tap_id, p.priority, b.start_ns / g.width),
counted_elsewhere AS MATERIALIZED (
  SELECT flow_id, kind FROM events_dedup),
happened AS (
  SELECT e.kind AS name, e.ns / g.width * g.width AS start_ns,
         sum(ifnull(e.count, 1)) AS packets
    FROM event e /*scan*/, grid g
   WHERE e.kind <> 'trimmed'
     AND NOT EXISTS (SELECT 1 FROM counted_elsewhere r
                      WHERE r.flow_id = e.flow_id AND r.kind = e.kind)
   GROUP BY e.kind, e.ns / g.width
  UNION ALL
  SELECT 'trimmed', e.ns / g.width * g.width, sum(e.count)
    FROM trim_events e, grid g
   WHERE NOT EXISTS (SELECT 1 FROM counted_elsewhere r
                      WHERE r.flow_id = e.flow_id AND r.kind = 'trimmed')
   GROUP BY e.ns / g.width),
everything AS (
  SELECT 1 AS o, 'load' AS what, name, start_ns,
         CAST(8e9 * bytes / width AS INTEGER) AS value
    FROM passed, grid
  UNION ALL SELECT 2, 'ce', name, start_ns, ce FROM passed WHERE ce > 0
  UNION ALL SELECT 3, 'cnp', name, start_ns, cnp FROM passed WHERE cnp > 0
  UNION ALL SELECT 4, 'retransmitted', name, start_ns, retransmitted
              FROM passed WHERE retransmitted > 0
  UNION ALL SELECT 5, 'paused', name, start_ns, paused_ns FROM silenced
  UNION ALL SELECT 6, 'event', name, start_ns, packets FROM happened)
SELECT e.what, e.name, e.start_ns, g.width AS width_ns, e.value
  FROM everything e, grid g
 ORDER BY e.o, e.name, e.start_ns

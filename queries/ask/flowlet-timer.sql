-- Which flowlet timer would move flows without reordering them?
-- A flow may take another path after an idle time that is longer than any packet
-- waits on the path that it leaves.  The longest wait is that of the packets seen
-- at the first and the last capture point of their path; idle times are those
-- between messages of these flows at the first.  It holds for queues as they were.
-- The timer is NULL where the capture does not carry it: why says what is missing.
--
-- column flowlet_ns duration  advised: the longest wait, and a tenth more
-- column wait_ns duration  longest wait of a packet, beyond the shortest delay
-- column flows count  flows that passed both capture points
-- column idles count  idle times between messages of these flows
-- column idles_over count  of these, longer than the timer: so often a flow can move
-- column idle_p50_ns duration  median idle time
-- column why text  why there is no advice
--
-- example fabscope query DB flowlet-timer
WITH way AS MATERIALIZED (
  SELECT id, queue_max_ns, lost, reordered FROM segment /*scan*/
   WHERE whole AND packets > 0),
-- flows of these, and whether their messages are all stored
kept AS MATERIALIZED (
  SELECT v.flow_id, f.messages,
         (SELECT count(*) FROM message m WHERE m.flow_id = v.flow_id) AS stored
    FROM way w
    JOIN segment_flow v ON v.segment_id = w.id
    JOIN flow f ON f.id = v.flow_id
   WHERE f.payload_bytes > 0 AND f.messages > 0
   GROUP BY v.flow_id),
gap AS MATERIALIZED (
  SELECT m.first_ns - max(m.last_ns) OVER (PARTITION BY m.flow_id
           ORDER BY m.first_ns, m.id
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ns
    FROM message m
   WHERE m.flow_id IN (SELECT flow_id FROM kept)),
idle AS MATERIALIZED (
  SELECT ns, row_number() OVER (ORDER BY ns) AS nth, count(*) OVER () AS n
    FROM gap WHERE ns > 0),
wait AS (
  SELECT (SELECT max(queue_max_ns) FROM way) AS ns,
         (SELECT count(*) FROM kept) AS flows,
         (SELECT total(stored) / nullif(total(messages), 0) FROM kept)
           AS stored,
         (SELECT count(*) FROM idle) AS idles,
         (SELECT ns FROM idle WHERE nth = (n + 1) / 2) AS p50),
advice AS (
  SELECT *, CAST(1.1 * ns AS INTEGER) AS timer,
         (SELECT count(*) FROM idle i WHERE i.ns > 1.1 * wait.ns) AS over
    FROM wait),
judged AS (
  SELECT *, CASE
         WHEN ns IS NULL
         THEN 'no two capture points saw the same packets: how long packets '
           || 'wait on their paths is not known'
         WHEN flows = 0 OR stored < 0.9
         THEN 'not all messages are stored: analyze with --all-messages'
         WHEN over < 0.05 * idles OR over = 0
         THEN 'flows are hardly ever idle for longer than packets wait: any '
           || 'timer would reorder them or never move them' END AS why
    FROM advice)
SELECT iif(why IS NULL, timer, NULL) AS flowlet_ns, ns AS wait_ns, flows, idles,
       over AS idles_over, p50 AS idle_p50_ns, why
  FROM judged

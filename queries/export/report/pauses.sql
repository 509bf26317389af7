-- When was which port paused, as a screen can show it?
-- Pauses of one port that follow each other within a thousandth of the whole
-- time are one row.
--
-- param ports count 24  number of ports, those that pause most first
-- param limit count 20000  maximum number of rows
-- column tap_id id  tap.id
-- column source_mac text  the port that asked
-- column who text  the port in words
-- column priority id  0..7; NULL the whole link
-- column first_ns time  first XOFF
-- column last_ns time  end; NULL when the speed of the link is not known
-- column pauses count  number of flows
-- column paused_ns duration  their time together
--
-- example fabscope query DB report/pauses
WITH span AS MATERIALIZED (
  SELECT (max(last_ns) - min(first_ns)) / 1000 AS near
    FROM capture /*scan*/ WHERE packets > 0),
ports AS MATERIALIZED (
  SELECT tap_id, source_mac, who, priority,
         row_number() OVER (ORDER BY paused_ns DESC, xoff_frames DESC, rowid)
           AS place
    FROM pause_sender /*scan*/
   WHERE pauses > 0 ORDER BY place LIMIT :ports),
one AS (
  SELECT o.place, p.tap_id, p.source_mac, o.who, p.priority, p.first_ns,
         p.last_ns, p.paused_ns,
         max(ifnull(p.last_ns, p.first_ns)) OVER (
           PARTITION BY o.place ORDER BY p.first_ns, p.id
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
    FROM pause p /*scan*/
    JOIN ports o ON o.tap_id = p.tap_id AND o.source_mac = p.source_mac
                AND o.priority IS p.priority),
joined AS (
  SELECT *, sum(before_ns IS NULL OR first_ns > before_ns + near) OVER (
              PARTITION BY place ORDER BY first_ns
              ROWS UNBOUNDED PRECEDING) AS row_of
    FROM one, span)
SELECT tap_id, source_mac, who, priority, min(first_ns) AS first_ns,
       max(last_ns) AS last_ns, count(*) AS pauses,
       sum(paused_ns) AS paused_ns
  FROM joined
 GROUP BY place, row_of
 ORDER BY place, first_ns
 LIMIT :limit

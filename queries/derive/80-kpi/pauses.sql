-- How often, and for how long, was a port paused by PFC?
-- The port and priority that asked most, as the draft counts per port.
--
-- into kpi
WITH can AS (
  SELECT max(verdict <> 'no') AS pfc, max(why) AS why
    FROM observability WHERE what = 'pfc'),
t AS (
  SELECT nullif(max(last_ns) - min(first_ns), 0) AS ns,
         sum(packets_pfc + packets_pause) AS frames FROM tap),
p AS (
  SELECT max(xoff_frames) AS xoff, max(paused_ns) AS paused,
         max(paused_ns IS NULL) AS speedless, count(*) AS n,
         sum(xoff_frames) AS all_xoff
    FROM pause_sender)
SELECT 'PFC Pause Count' AS name, '4.2' AS section, 4 AS place,
       CASE WHEN can.pfc THEN 1e9 * xoff / t.ns END AS value,
       '1/s' AS unit, '1T' AS class, 0.9 AS confidence,
       'PFC frames in the capture (TAP, or a mirror that copies them): '
         || ifnull(can.why, 'there are no packets') AS missing,
       'of the port and priority with most XOFF frames; '
         || human_count(all_xoff) || ' in total' AS note, n AS samples
  FROM can, t, p
UNION ALL
SELECT 'PFC Pause Duration', '4.2', 5,
       CASE WHEN can.pfc THEN paused / 1e3 END, 'us', '1T', 0.9,
       CASE WHEN can.pfc THEN 'the link speed (--topology): quanta only'
            ELSE 'PFC frames in the capture (TAP, or a mirror that copies them): '
                 || ifnull(can.why, 'there are no packets') END,
       'sum over the capture (' || human_ns(t.ns)
         || '), of the port and priority paused longest'
         || CASE WHEN speedless THEN '; others have no known speed'
                 ELSE '' END, n
  FROM can, t, p

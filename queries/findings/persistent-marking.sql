-- Does marking never stop?
-- Short bursts of marks are ECN at work; marks in most of the time mean that
-- the queue stands above Kmin: more senders than the control can hold, or cuts
-- that are too small.
-- param share share 0.1  of the data is marked
-- param time share 0.5  in so much of the time with traffic
-- param least count 20  intervals to be judged
-- needs bin
WITH busy AS (
  SELECT scope_id AS tap_id, start_ns, width_ns, ce, ect,
         sum(ce) OVER w AS all_ce, sum(ce + ect) OVER w AS able
    FROM bin /*scan*/
   WHERE scope = 'tap' AND ce + ect > 0
  WINDOW w AS (PARTITION BY scope_id))
SELECT 'info' AS severity, 0.7 AS confidence,
       human_share(1.0 * max(all_ce) / max(able))
         || ' of the ECN-capable packets' || ifnull(' at ' || max(t.name), '')
         || ' are CE-marked, during '
         || human_share(1.0 * sum(b.ce > 0) / count(*)) || ' of the time'
         AS title,
       'Marks in ' || human_count(sum(b.ce > 0)) || ' of '
         || plural(count(*), 'interval') || ' of ' || human_ns(max(width_ns))
         || '. The queue is above Kmin nearly all the time: it adds latency, '
         || 'and leaves less room for a burst.'
         AS detail,
       'Look for senders that do not reduce their rate and receivers that send '
         || 'no CNPs. If there are none, rate control is too slow for so many '
         || 'flows: let senders reduce their rate more for each CNP, or lower '
         || 'Kmax.' AS action,
       b.tap_id,
       max(min(b.start_ns), ifnull(max(t.first_ns), 0)) AS first_ns,
       min(max(b.start_ns + b.width_ns),
           ifnull(max(t.last_ns), 9223372036854775807)) AS last_ns,
       json_object('numbers',
                   json_object('ce', max(all_ce), 'packets', max(able),
                               'marked_intervals', sum(b.ce > 0),
                               'intervals', count(*)),
                   'query', 'fabscope query DB load --param id=' || b.tap_id)
         AS evidence
  FROM busy b
  JOIN tap t ON t.id = b.tap_id
 GROUP BY b.tap_id
HAVING max(all_ce) >= :share * max(able) AND sum(b.ce > 0) >= :time * count(*)
   AND count(*) >= :least

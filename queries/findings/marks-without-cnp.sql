-- Did a receiver get marked packets and never tell the senders?
-- Only where its answers are here, so that CNPs would be as well; not where
-- the capture ended before one could come.  The notification point is off, or
-- does not know this class of traffic.
-- param least count 20  minimum number of marked data packets
-- param time duration 1ms  the first must be so long before the end
-- needs congestion
WITH throttling AS MATERIALIZED (
  SELECT DISTINCT b.dst AS receiver
    FROM congestion c /*scan*/
   CROSS JOIN flow b ON b.id = c.flow_id
   WHERE c.cnps > 0),
marked AS MATERIALIZED (
  SELECT f.tap_id, f.dst, count(*) AS flows, sum(c.marks) AS marks,
         min(c.first_mark_ns) AS first_ns, max(c.last_mark_ns) AS last_ns,
         min(f.visibility = 'both') AS both, max(f.id) AS flow_id
    FROM congestion c /*scan*/
   CROSS JOIN flow f ON f.id = c.flow_id
   WHERE c.marks > 0 AND f.transport IN ('RC', 'XRC')
     AND f.dst NOT IN (SELECT receiver FROM throttling)
   GROUP BY f.tap_id, f.dst),
-- CNPs that throttle nobody known are asked only where it matters.
notifiers AS MATERIALIZED (
  SELECT receiver FROM throttling
  UNION SELECT receiver FROM cnp /*scan*/
         WHERE EXISTS (SELECT 1 FROM marked))
SELECT 'warning' AS severity,
       CASE WHEN EXISTS (SELECT 1 FROM notifiers) THEN 0.85 ELSE 0.7 END
         AS confidence,
       m.dst || ' sends no CNPs for CE-marked packets: '
         || plural(sum(m.marks), 'marked packet') || ', no CNP' AS title,
       'Marked packets of ' || plural(max(m.flows), 'flow') || ' were '
         || 'seen on their way to it, and its ACKs on the reverse path, but no '
         || 'CNP: no sender reduced its rate'
         || CASE WHEN EXISTS (SELECT 1 FROM notifiers)
                 THEN '. Other receivers do send CNPs.' ELSE '.' END AS detail,
       'Look at ' || m.dst || ': is its notification point enabled for this '
         || 'priority, and do packets arrive with the DSCP it expects? Do CNPs '
         || 'take another path that is not captured?' AS action,
       CASE WHEN min(m.tap_id) = max(m.tap_id) THEN max(m.tap_id) END
         AS tap_id,
       CASE WHEN sum(m.flows) = 1 THEN max(m.flow_id) END AS flow_id,
       min(m.first_ns) AS first_ns, max(m.last_ns) AS last_ns,
       json_object('numbers',
                   json_object('marks', sum(m.marks), 'flows', max(m.flows)),
                   'query', 'fabscope query DB unanswered-marks') AS evidence
  FROM marked m
  JOIN tap t ON t.id = m.tap_id
 WHERE m.both AND t.last_ns - m.first_ns >= :time
   AND m.dst NOT IN (SELECT receiver FROM notifiers)
 GROUP BY m.dst
HAVING sum(m.marks) >= :least

-- Should ECN begin to mark earlier or later?
-- Earlier where PFC still stops senders, or buffers overflow, although ECN
-- marks; later where links run far below their speed right after marks.  Queue
-- lengths are not in a capture: this is what the traffic says about them.
-- param least count 20  marks, and pauses, needed
-- param idle share 0.6  a link used less than that is under-used
WITH t AS (
  SELECT sum(ce) AS ce, sum(ect) AS ect, sum(packets_cnp) AS cnp,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns FROM tap),
p AS (
  SELECT sum(xoff_frames) AS xoff, sum(paused_ns) AS paused
    FROM pause_sender u /*scan*/
   WHERE ifnull(u.role, '') <> 'host'
     AND NOT EXISTS (SELECT 1 FROM storm s
                      WHERE s.tap_id = u.tap_id
                        AND s.source_mac = u.source_mac
                        AND s.priority IS u.priority
                        AND s.level NOT IN ('heavy', 'suspect'))),
l AS (
  SELECT sum(lost_min) AS lost FROM incident
   WHERE kind IN ('loss_upstream', 'loss_downstream')),
-- intervals with marks, and what the link carried in the one after
bins AS (
  SELECT b.scope_id AS tap_id, b.ce, b.width_ns,
         lead(b.bytes) OVER w AS after_bytes,
         lead(b.start_ns) OVER w - b.start_ns AS step, k.speed_bps
    FROM bin b
    JOIN tap k ON k.id = b.scope_id
   WHERE b.scope = 'tap' AND k.speed_bps > 0
  WINDOW w AS (PARTITION BY b.scope_id ORDER BY b.start_ns)),
idle AS (
  SELECT tap_id, count(*) AS n,
         avg(8e9 * after_bytes / width_ns / speed_bps) AS used,
         max(width_ns) AS width
    FROM bins WHERE ce > 0 AND step = width_ns
   GROUP BY tap_id HAVING count(*) >= :least
   ORDER BY 3 LIMIT 1)
SELECT 'info' AS severity, 0.6 AS confidence,
       'Mark earlier: '
         || CASE WHEN p.xoff >= :least
                 THEN 'PFC still stops senders although ECN marks'
                 ELSE 'packets are lost although ECN marks' END AS title,
       plural(t.ce, 'marked packet') || ' and ' || plural(t.cnp, 'CNP')
         || ', and yet '
         || CASE WHEN p.xoff >= :least
                 THEN plural(p.xoff, 'XOFF frame')
                      || ifnull(' (' || human_ns(p.paused) || ' paused)',
                                '')
                 ELSE plural(l.lost, 'lost packet') END
         || ': senders receive CNPs too late, or reduce their rate too '
         || 'little. Rests on marks and pauses or losses in one capture; '
         || 'queue lengths are not in it.' AS detail,
       'Lower Kmax (and Kmin with it) so that every sender has received CNPs '
         || 'before the queue reaches XOFF or the end of the buffer; leave '
         || 'between them what the senders together send in a round trip. '
         || 'Look first for senders that do not reduce their rate. '
         || 'fabscope whatif DB --thresholds tries some and suggests which.'
         AS action,
       NULL AS tap_id, t.first_ns, t.last_ns,
       json_object('numbers', json_object('ce', t.ce, 'cnp', t.cnp,
                                          'xoff', p.xoff, 'lost', l.lost,
                                          'paused_ns', p.paused),
                   'query', 'fabscope query DB load') AS evidence
  FROM t, p, l
 WHERE t.ce >= :least
   AND (p.xoff >= :least OR (l.lost >= :least AND p.xoff IS NULL))
UNION ALL
SELECT 'info', 0.4, 'Mark later, or cut less: the link is '
         || human_share(i.used) || ' used right after marks',
       'In the ' || human_ns(i.width) || ' after an interval with marks '
         || ifnull(k.name, 'the link') || ' carries '
         || human_share(i.used) || ' of its speed on average ('
         || plural(i.n, 'interval') || '), and nothing is paused: senders are '
         || 'slowed down more than the queue needs. This does not hold if the '
         || 'marks come from another link, or if there is no more data to send.'
           ,
       'Raise Kmin and Kmax of this class, or make rate cuts smaller and their '
         || 'recovery faster, as long as no PFC pauses are sent. '
         || 'fabscope whatif DB --thresholds tries some and suggests which.',
       i.tap_id, t.first_ns, t.last_ns,
       json_object('numbers', json_object('used', i.used, 'intervals', i.n),
                   'query', 'fabscope query DB load --param id=' || i.tap_id)
  FROM idle i
  JOIN tap k ON k.id = i.tap_id, t, p
 WHERE i.used < :idle AND ifnull(p.xoff, 0) = 0

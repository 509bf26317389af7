-- Does PFC stop senders while ECN never marks?
-- Then XOFF is reached before Kmin: congestion is answered link by link, with
-- all that travels there standing still, instead of by the senders that cause
-- it.  Only where marks or at least CNPs would be seen; a storm or a slow NIC
-- is another matter (their pauses do not come from a switch's thresholds).
-- What these pauses cost is not how long they last: a flow may have had nothing to
-- send, or have waited for a busy link as long.
-- param least count 10  frames that ask to stop
-- param both share 0.9  of the packets both directions must be visible
WITH p AS (
  SELECT sum(xoff_frames) AS xoff, sum(pauses) AS pauses,
         sum(paused_ns) AS paused, count(DISTINCT source_mac) AS ports,
         count(DISTINCT tap_id) AS taps, max(tap_id) AS tap_id,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM pause_sender u /*scan*/
   WHERE ifnull(u.role, '') <> 'host'
     AND NOT EXISTS (SELECT 1 FROM storm s
                      WHERE s.tap_id = u.tap_id
                        AND s.source_mac = u.source_mac
                        AND s.priority IS u.priority
                        AND s.level NOT IN ('heavy', 'suspect'))),
f AS (
  SELECT sum(ect_data) AS ect, sum(ce_data) AS ce FROM flow_sum /*scan*/),
c AS (
  SELECT sum(packets_both) AS both, sum(connected_packets) AS connected
    FROM coverage),
t AS (
  SELECT sum(packets_cnp) AS cnp, sum(ce) AS ce FROM tap)
SELECT 'warning' AS severity, 0.8 AS confidence,
       'PFC stops senders, ECN never marks: '
         || plural(p.xoff, 'XOFF frame') || ', no marked packet, no CNP'
         AS title,
       plural(p.pauses, 'pause') || ' sent by '
         || plural(p.ports, 'switch port')
         || ifnull(', ' || human_ns(p.paused) || ' in all', '')
         || ', while none of ' || plural(f.ect, 'data packet')
         || ' that are ECN-capable was marked, and no receiver sent a CNP. '
         || 'The thresholds are in the wrong order: XOFF is reached before '
         || 'Kmin. This rests on pauses and marks in the same capture; queue '
         || 'lengths are not in it.' AS detail,
       'Lower Kmin and Kmax of this priority below the queue at which an '
         || 'ingress reaches XOFF (with n senders to one port: Kmin well '
         || 'under n times XOFF, at best under XOFF itself), or raise XOFF as '
         || 'far as the headroom allows. Is ECN marking on in this class at '
         || 'all?'
         AS action,
       CASE WHEN p.taps = 1 THEN p.tap_id END AS tap_id,
       p.first_ns, p.last_ns,
       json_object('numbers',
                   json_object('xoff', p.xoff, 'pauses', p.pauses,
                               'ports', p.ports, 'paused_ns', p.paused,
                               'ect', f.ect, 'ce', f.ce, 'cnp', t.cnp),
                   'query', 'fabscope query DB pauses') AS evidence
  FROM p, f, c, t
 WHERE p.xoff >= :least AND f.ect >= 1000 AND f.ce = 0 AND t.ce = 0
   AND t.cnp = 0 AND c.both >= :both * c.connected

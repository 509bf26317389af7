-- Is the network not why the job took so long?
-- The network is what was paused, recovered, cut or shared; what may be a pause
-- that this capture does not show, or is not known, counts as well.  Only with
-- all ranks seen whole, and a capture that misses next to nothing.
-- param share share 0.05  of the communication time, at most
-- param both share 0.9  of the packets both directions must be visible
-- param missing share 0.001  the capture may miss so much
WITH c AS (
  SELECT sum(connected_packets) AS connected, sum(packets_both) AS both,
         sum(checked) AS expected, sum(capture_missing) AS missing,
         sum(flows_sprayed) AS sprayed, max(low_confidence) AS low
    FROM coverage),
t AS (
  SELECT p.job, sum(t.time_ns) AS ns,
         total(t.lost_ns) FILTER (WHERE whose(t.class) = 'network')
           AS network,
         total(t.lost_ns) FILTER (WHERE t.class = 'unknown') AS unknown,
         total(t.lost_ns) FILTER (WHERE whose(t.class) IN
           ('sender', 'receiver')) AS hosts
    FROM phase_time t /*scan*/
    JOIN phase p ON p.id = t.phase_id
   WHERE NOT p.cut
   GROUP BY p.job),
d AS (
  SELECT t.*, (SELECT total(time_ns) FROM phase_doubt x WHERE x.job = t.job
                   AND x.classes LIKE '%SENDER_WAIT%')
                AS doubt
    FROM t)
SELECT 'exonerates' AS severity, 0.85 AS confidence,
       'The network explains at most '
         || human_share((d.network + d.unknown + d.doubt) / d.ns)
         || ' of the communication time of job ' || j.id AS title,
       human_share(d.network / d.ns) || ' of ' || human_ns(d.ns)
         || ' is network for certain, '
         || human_share((d.unknown + d.doubt) / d.ns)
         || ' cannot be told; hosts had ' || human_share(d.hosts / d.ns)
         || '. Seen: ' || plural(j.iterations, 'iteration') || ' of '
         || plural(j.ranks, 'rank') || ', all seen whole; both directions of '
         || human_share(1.0 * c.both / c.connected) || ' of the packets.'
         || ifnull(' Not visible from here: '
                   || (SELECT group_concat(what, ', ') FROM
                        (SELECT DISTINCT what FROM observability /*scan*/
                          WHERE verdict = 'no'
                            AND what IN ('pfc', 'ce', 'cnp', 'credit')
                          ORDER BY what)) || '.', '') AS detail,
       CASE WHEN d.hosts > 0.1 * d.ns
            THEN 'Look at the hosts that were waited for: fabscope jct.'
            ELSE 'What is left is the wire itself: faster links, another '
                 || 'algorithm, or less to send.' END AS action,
       j.first_ns, j.last_ns,
       json_object('numbers',
                   json_object('network_ns', d.network,
                               'unknown_ns', d.unknown, 'doubt_ns', d.doubt,
                               'hosts_ns', d.hosts, 'comm_ns', d.ns),
                   'query', 'fabscope query DB job-causes --param job='
                            || j.id) AS evidence
  FROM d
  JOIN job j ON j.id = d.job
  JOIN c
 WHERE d.ns > 0 AND j.whole AND j.ranks_tapped = j.ranks AND j.ranks >= 3
   AND d.network + d.unknown + d.doubt < :share * d.ns
   AND c.both >= :both * c.connected AND c.expected > 0
   AND ifnull(c.missing, 0) <= :missing * c.expected
   AND ifnull(c.sprayed, 0) = 0 AND NOT ifnull(c.low, 0)

-- Do LLDP and DCBX contradict each other, or leave RoCE out?
-- Two ends of a link that disagree about PFC; RoCE scheduled by strict priority,
-- or in no application entry.
-- Where exactly two ports speak LLDP at a tap, or at the two that show a
-- direction each, they are the ends of its link; the last configuration of each
-- counts.  Ports that are set up alike are one finding.
-- needs lldp
WITH ends AS MATERIALIZED (
  SELECT * FROM (
    SELECT l.*, row_number() OVER (PARTITION BY tap_id, source_mac
                                   ORDER BY last_ns DESC, id DESC) AS nth,
           ifnull(system || ' port ' || port, source_mac) AS who,
           ifnull((SELECT min(t.id, t.half_of) FROM tap t
                    WHERE t.id = l.tap_id AND t.half_by IS NOT NULL),
                  tap_id) AS link
      FROM lldp /*scan*/ l) WHERE nth = 1),
-- Anybody can send LLDP of many ports: they are not compared with each other.
two AS MATERIALIZED (
  SELECT link FROM ends GROUP BY link HAVING count(*) = 2),
pairs AS (
  SELECT a.tap_id, a.who AS one, b.who AS other, a.pfc_enabled AS x,
         b.pfc_enabled AS y, a.frame AS frame, b.tap_id AS other_tap,
         b.frame AS other_frame, min(a.first_ns, b.first_ns) AS first_ns,
         max(a.last_ns, b.last_ns) AS last_ns
    FROM two
    JOIN ends a ON a.link = two.link
    JOIN ends b ON b.link = two.link AND b.source_mac > a.source_mac
   WHERE a.pfc_enabled <> b.pfc_enabled
     AND NOT ifnull(a.pfc_willing, 0) AND NOT ifnull(b.pfc_willing, 0)),
strict AS (
  SELECT e.tap_id, e.who, a.value ->> 'prio' AS priority, e.frame, e.first_ns,
         e.last_ns
    FROM ends e, json_each(e.applications) a
   WHERE e.ets_selection IS NOT NULL
     AND a.value ->> 'proto' = 4791
     AND json_extract(e.ets_selection, '$['
           || json_extract(e.ets_tc, '$[' || (a.value ->> 'prio') || ']')
           || ']') = 0),
-- Nothing that could be meant for RoCE: no UDP or any port 4791, no DSCP, no
-- default; RoCEv1 by its EtherType.
unnamed AS (
  SELECT e.tap_id, e.who, e.pfc_enabled, e.applications, e.frame, e.first_ns,
         e.last_ns
    FROM ends e
    JOIN tap t ON t.id = e.tap_id
   WHERE e.pfc_enabled > 0 AND t.packets_roce > 0
     AND NOT EXISTS (
         SELECT 1 FROM json_each(e.applications) a
          WHERE a.value ->> 'proto' = 4791
             OR a.value ->> 'sel' = 'dscp'
             OR (a.value ->> 'sel' = 'ethertype'
                 AND a.value ->> 'proto' IN (0, 35093))))
SELECT 'warning' AS severity, 0.9 AS confidence,
       'PFC differs between the ends of a link, and neither is willing to '
         || 'change: ' || one || ' and ' || other AS title,
       one || ' has it for priorities '
         || ifnull((SELECT group_concat(value, ' ')
                      FROM json_each('[0,1,2,3,4,5,6,7]')
                     WHERE x >> value & 1), 'none') || ', ' || other || ' for '
         || ifnull((SELECT group_concat(value, ' ')
                      FROM json_each('[0,1,2,3,4,5,6,7]')
                     WHERE y >> value & 1), 'none') || '. Where only one end '
                       || 'has it, pauses are ignored or never sent.' AS detail,
       'Configure both ends alike, or let the host be willing.' AS action,
       tap_id, first_ns, last_ns,
       json_object('frames', json_array(
                     json_object('tap', tap_id, 'frame', frame),
                     json_object('tap', other_tap, 'frame', other_frame)),
                   'query', 'fabscope query DB lldp --param tap=' || tap_id)
         AS evidence
  FROM pairs
UNION ALL
SELECT 'info', 0.8,
       CASE WHEN n > 1 THEN plural(n, 'port') || ' schedule RoCE by strict '
                              || 'priority, such as ' || who
            ELSE who || ' schedules RoCE (priority ' || priority
                   || ') by strict priority' END,
       'The traffic class of that priority is strict: it can starve the '
         || 'others, and no share of the link is set aside for it.',
       'Most give RoCE a share (ETS) and keep strict priority for CNPs.',
       tap_id, first_ns, last_ns,
       json_object('frames', json_array(json_object('tap', tap_id, 'frame',
                                                    frame)),
                   'query', 'fabscope query DB lldp'
                     || iif(n > 1, '', ' --param tap=' || tap_id))
  FROM (SELECT *, count(DISTINCT tap_id || ' ' || who) AS n, min(first_ns)
          FROM strict)
 WHERE n > 0
UNION ALL
SELECT 'info', 0.8,
       CASE WHEN n > 1 THEN plural(n, 'port') || ' advertise PFC, but no DCBX '
                              || 'application entry for RoCE (UDP 4791), such '
                              || 'as ' || who
            ELSE who || ' advertises PFC, but no DCBX application entry for '
                   || 'RoCE (UDP 4791)' END,
       CASE WHEN n > 1 THEN who ELSE 'It' END || ' has PFC for priorities '
         || (SELECT group_concat(value, ' ')
               FROM json_each('[0,1,2,3,4,5,6,7]')
              WHERE pfc_enabled >> value & 1)
         || CASE WHEN applications IS NULL THEN ' and names no application'
                 ELSE ', and the applications that it names are others' END
         || ': a host that takes its configuration from there does not learn '
         || 'which priority RoCE belongs to, and may send it unprotected.',
       'Advertise UDP port 4791 with the priority of RoCE, or make sure that '
         || 'hosts are configured otherwise (trust DSCP).',
       tap_id, first_ns, last_ns,
       json_object('frames', json_array(json_object('tap', tap_id, 'frame',
                                                    frame)),
                   'query', 'fabscope query DB lldp'
                     || iif(n > 1, '', ' --param tap=' || tap_id))
  FROM (SELECT *, count(DISTINCT tap_id || ' ' || who) AS n, min(first_ns)
          FROM unnamed)
 WHERE n > 0

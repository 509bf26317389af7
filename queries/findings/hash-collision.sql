-- Did big flows share a link while an equal one had room?
-- uses flowlet-timer
-- needs balance
WITH mean AS (
  SELECT group_id, avg(bytes) AS bytes FROM balance_member GROUP BY group_id),
idle AS (
  SELECT m.group_id, group_concat(m.member, ', ') AS links, count(*) AS n,
         max(m.utilization) AS utilization
    FROM balance_member m JOIN mean a ON a.group_id = m.group_id
   WHERE m.bytes < 0.5 * a.bytes GROUP BY m.group_id),
pairs AS (
  SELECT b.group_id, count(DISTINCT f.src || ' ' || f.dst) AS n,
         count(*) AS flows
    FROM balance b
    JOIN flow_tap t ON t.tap_id = b.busiest_tap_id
    JOIN flow f ON f.id = t.flow_id
   GROUP BY b.group_id)
SELECT 'warning' AS severity,
       CASE WHEN b.chance > 0.99 THEN 0.8 ELSE 0.9 END AS confidence,
       'Hash collision: ' || m.member || ' is '
         || CASE WHEN m.utilization >= 0.8
                 THEN human_share(min(1, m.utilization)) || ' full'
                 ELSE 'full for ' || human_ns(b.crowded_ns) END
         || ' while ' || CASE WHEN i.n > 3
                                   THEN plural(i.n, 'equal link')
                                   ELSE i.links END
         || CASE WHEN i.n > 1 THEN ' are ' ELSE ' is ' END
         || CASE WHEN i.utilization < 0.01 THEN 'idle'
                 ELSE 'at most ' || human_share(i.utilization) || ' full' END
         AS title,
       plural(p.flows, 'flow') || ' of ' || plural(p.n, 'pair')
         || ' of hosts went over it; ' || g.name || ' has '
         || plural(b.members, 'link') || ', Jain''s fairness index '
         || round(b.jfi, 2) || ', the fullest carries '
         || round(b.mmr_bytes, 2) || ' times the mean. '
         || CASE WHEN b.effective_flows < 4 * b.members
                 THEN 'The hash sees only '
                        || plural(cast(round(b.effective_flows) AS INTEGER),
                                  'flow')
                        || ' of equal size: collisions are to be expected.'
                 ELSE 'The hash has enough input: as much as '
                        || plural(cast(round(b.effective_flows) AS INTEGER),
                                  'flow') || ' of equal size.' END
         || ifnull(' Placed at random, the same flows would load the fullest '
                     || 'link less in ' || human_share(b.chance)
                     || ' of all cases.', '')
         AS detail,
       CASE WHEN b.effective_flows < 4 * b.members
            THEN 'More queue pairs or source ports for each pair of hosts, '
                   || 'flowlets or spraying spread such flows; so do static '
                   || 'routes for them.'
                   || ifnull((SELECT ' A flowlet timer of '
                                || human_ns(t.flowlet_ns)
                                || ' moves flows without reordering them: no '
                                || 'packet waited longer ('
                                || human_ns(t.wait_ns) || ' at most), and '
                                || 'flows were idle for longer '
                                || times(t.idles_over)
                                || ' (query flowlet-timer).'
                           FROM flowlet_timer t WHERE t.flowlet_ns > 0), '')
            ELSE 'Look at what the switch hashes: seeds, fields, and weights '
                   || 'of the links.' END AS action,
       b.busiest_tap_id AS tap_id,
       (SELECT min(first_ns) FROM flow_tap t
         WHERE t.tap_id = b.busiest_tap_id) AS first_ns,
       (SELECT max(last_ns) FROM flow_tap t
         WHERE t.tap_id = b.busiest_tap_id) AS last_ns,
       json_object('numbers',
                   json_object('jfi', round(b.jfi, 3),
                               'mmr_bytes', round(b.mmr_bytes, 3),
                               'effective_flows', round(b.effective_flows, 1)),
                   'query', 'fabscope query DB links --param group='
                              || g.id) AS evidence
  FROM balance b
  JOIN link_group g ON g.id = b.group_id
  JOIN balance_member m ON m.group_id = b.group_id
                       AND m.tap_id = b.busiest_tap_id
  JOIN idle i ON i.group_id = b.group_id
  JOIN pairs p ON p.group_id = b.group_id
 WHERE b.whole AND b.mode = 'ecmp' AND p.n > 1
   AND (m.utilization >= 0.8
        OR (b.crowded_ns >= 10 * b.window_ns
            AND b.crowded_ns >= 0.2 * b.busy_ns))
   AND b.polarized IS NULL

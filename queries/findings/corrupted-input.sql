-- Was part of a capture file unreadable?
-- param most count 5  files listed by name; more are counted together
SELECT 'warning' AS severity, 0.99 AS confidence,
       'Part of the input could not be read: '
         || CASE count(*) WHEN 1 THEN max(path)
                          ELSE plural(count(*), 'file') END AS title,
       CASE WHEN sum(damaged_ranges) > 0
            THEN plural(sum(damaged_ranges), 'range')
                 || ' of corrupted bytes skipped. ' ELSE '' END
         || CASE WHEN sum(skipped_packets) > 0
                 THEN plural(sum(skipped_packets), 'packet')
                      || ' there but unusable. ' ELSE '' END
         || CASE WHEN sum(cut) > 0
                 THEN CASE count(*) WHEN 1 THEN 'The file is'
                           ELSE plural(sum(cut), 'file')
                                || CASE sum(cut) WHEN 1 THEN ' is'
                                   ELSE ' are' END END
                      || ' cut off at the end. ' ELSE '' END
         || 'The rest was analyzed; gaps there are no losses.'
         AS detail,
       'Copy the file again from where it was captured'
         || CASE WHEN sum(damaged_ranges) + sum(skipped_packets) = 0
                 THEN ', once the capture has ended.' ELSE '.' END AS action,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('damaged_ranges', sum(damaged_ranges),
                               'skipped_packets', sum(skipped_packets),
                               'cut', sum(cut)),
                   'query', 'fabscope query DB corrupted-ranges') AS evidence
  FROM capture
 WHERE damaged_ranges > 0 OR skipped_packets > 0 OR cut
 GROUP BY CASE WHEN (SELECT count(*) FROM capture
                      WHERE damaged_ranges > 0 OR skipped_packets > 0 OR cut)
                    <= :most THEN id END

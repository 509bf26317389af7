-- Does a mirror copy only a sample of the packets?
-- PSNs are missing in all flows alike from the first packet on, and no receiver
-- sends a NAK for them.
SELECT 'warning' AS severity, 0.9 AS confidence,
       'Sampled mirror: about one packet in '
         || CAST(round(avg(sampled_one_in)) AS INTEGER) || ' is copied at '
         || CASE count(*) WHEN 1 THEN 'tap ' || ifnull(max(name), max(id))
                          ELSE plural(count(*), 'tap') END AS title,
       human_count(sum(packets)) || ' packets were captured of an estimated '
         || human_count(sum(estimated_packets)) || '. Gaps in the PSNs are '
         || 'what the mirror did not copy: they are no loss, and loss, '
         || 'reordering, duplicates and retransmissions are not observable '
         || 'here.' AS detail,
       'Mirror all packets of fewer ports (a filter, a shorter snaplen) '
         || 'to see loss and delay.' AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('packets', sum(packets),
                               'estimated_packets', sum(estimated_packets)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM tap
 WHERE sampled_one_in IS NOT NULL
HAVING count(*) > 0

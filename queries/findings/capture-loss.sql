-- Does the capture miss packets that were delivered?
-- Rules R7 and R8: the receiver acknowledged packets that are not in the
-- capture.  Above the threshold no loss verdict is to be trusted.  A few that
-- the mirror's own numbers explain are left to mirror-loss.
-- param threshold share 0.001  from here on it is a warning
-- param most count 5  taps listed by name; more are counted
SELECT CASE WHEN max(c.missing_share) > :threshold THEN 'warning'
            ELSE 'info' END AS severity,
       0.9 AS confidence,
       human_share(1.0 * sum(c.capture_missing) / sum(c.checked))
         || ' of the packets not captured at '
         || CASE WHEN count(*) > :most THEN plural(count(*), 'tap')
                 ELSE iif(count(*) = 1, 'tap ', 'taps ')
                      || group_concat(ifnull(t.name, c.tap_id), ', ') END
         AS title,
       human_count(sum(c.capture_missing)) || ' of '
         || human_count(sum(c.checked))
         || ' packets are not in the capture although the receiver '
         || 'acknowledged them. They were not lost. '
         || CASE WHEN max(c.missing_share) > :threshold
                 THEN 'Every loss figure of this capture has LOW CONFIDENCE.'
                 ELSE 'That is too little to affect loss figures.' END
         AS detail,
       'Mirror less (a filter, a shorter snaplen, one direction), give '
         || 'the mirror port or the capturing host more bandwidth, and look '
         || 'at its drop counters.' AS action,
       CASE count(*) WHEN 1 THEN max(c.tap_id) END AS tap_id,
       min(t.first_ns) AS first_ns, max(t.last_ns) AS last_ns,
       json_object('numbers',
                   json_object('capture_missing', sum(c.capture_missing),
                               'expected', sum(c.checked)),
                   'query', 'fabscope query DB capture-quality') AS evidence
  FROM coverage c
  JOIN tap t ON t.id = c.tap_id
 WHERE c.capture_missing > 0
   AND (c.missing_share > :threshold
        OR c.capture_missing > ifnull(t.mirror_seq_lost, 0))
HAVING count(*) > 0

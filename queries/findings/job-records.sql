-- What did the records of the job bring, and which could not be used?
-- needs job_log
WITH l AS (
  SELECT count(*) AS n, count(offset_ns) AS known,
         sum(aligned_by = 'packets') AS direct,
         sum(aligned_by = 'clock') AS kept, max(error_ns) AS error,
         sum(operations) AS ops, sum(skipped) AS skipped,
         sum(unknown_members) AS unknown, sum(dropped) AS dropped,
         min(why_not) AS why
    FROM job_log),
t AS (
  SELECT class, sum(time_ns) AS ns, sum(sum(time_ns)) OVER () AS whole
    FROM collective_time /*scan*/ GROUP BY class),
c AS (
  SELECT group_concat(cause_name(class) || ' '
                      || human_share(1.0 * ns / whole), ', ') AS causes
    FROM (SELECT * FROM t WHERE ns >= 0.005 * whole ORDER BY ns DESC))
SELECT 'info' AS severity, 0.9 AS confidence,
       'Job records: ' || plural(ops, 'operation') || ' of '
         || plural(n, 'rank') || ', '
         || CASE known WHEN n THEN 'all' ELSE human_count(known) END
         || ' aligned to the clock of the capture' AS title,
       CASE WHEN known > 0
            THEN 'The clock offsets of ' || plural(direct, 'host')
                 || ' were derived from their own packets, those of the others '
                 || 'from the ranks they communicate with; the error is at '
                 || 'most ' || human_ns(error) || '. '
            ELSE '' END
         || CASE WHEN kept > 0
                 THEN 'The clocks of ' || human_count(kept) || ' were not '
                   || 'corrected: their packets match without a correction, '
                   || 'and at other offsets as well. '
                 ELSE '' END
         || ifnull('Their time: ' || (SELECT causes FROM c) || '. ', '')
         || CASE WHEN known < n
                 THEN human_count(n - known) || ' could not be aligned: ' || why
                      || '. ' ELSE '' END
         || CASE WHEN skipped > 0
                 THEN plural(skipped, 'record') || ' could not be read. '
                 ELSE '' END
         || CASE WHEN unknown > 0
                 THEN plural(unknown, 'unknown field')
                      || ' of records ignored. '
                 ELSE '' END
         || CASE WHEN dropped > 0
                 THEN plural(dropped, 'operation')
                      || ' beyond the first million were left out. '
                 ELSE '' END AS detail,
       'Look at the slow ones, at who came last in them, and at what '
         || 'they waited for.' AS action,
       json_object('numbers', json_object('records', n, 'placed', known,
                                          'operations', ops),
                   'query', 'fabscope query DB slow-collectives --param '
                            || 'over=1.2') AS evidence
  FROM l WHERE n > 0

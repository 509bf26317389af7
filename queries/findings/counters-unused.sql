-- Which counters could not be used?
-- Nobody knows which device they belong to, or they were read at another time.
SELECT 'info' AS severity, 0.95 AS confidence,
       'Counters of ' || plural(count(*), 'file') || ' are not used: the '
         || 'device that they belong to is not known' AS title,
       min(path || ': ' || why_not) || '.' AS detail,
       'Give DEVICE=FILE, GIDs, or a topology file with these names.' AS action,
       json_object('numbers', json_object('files', count(*)), 'query',
                   'fabscope query DB counter-sources') AS evidence
  FROM (SELECT path, why_not FROM evidence_source /*scan*/
         WHERE why_not IS NOT NULL AND kind <> 'unknown' GROUP BY path)
HAVING count(*) > 0
UNION ALL
SELECT 'info', 0.95, plural(count(*), 'file') || ' of --evidence '
         || iif(count(*) = 1, 'is', 'are') || ' of no known kind',
       min(path || ': ' || why_not) || '.',
       'See docs/evidence.md for what is read, and how it is collected. '
         || 'A topology file is an option of its own (--topology).',
       json_object('numbers', json_object('files', count(*)), 'query',
                   'fabscope query DB counter-sources')
  FROM evidence_source /*scan*/
 WHERE kind = 'unknown'
HAVING count(*) > 0
UNION ALL
SELECT 'warning', 0.8, reason, 'Nothing is concluded from them.', settle,
       json_object('query', 'fabscope query DB counter-sources')
  FROM counter_check /*scan*/
 WHERE verdict = 'unused'

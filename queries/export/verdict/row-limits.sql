-- Of which tables were rows not stored because of a row limit?
-- Messages always: the slow and the unusual ones are stored, and a sample.
--
-- column table_name text  the table
-- column stored count  rows that are in it; NULL: nothing of it is a table
-- column not_stored count  rows that are not in it
-- column means text  what that does to figures; NULL: nothing
SELECT table_name,
       CASE table_name
       WHEN 'event' THEN (SELECT count(*) FROM event /*scan*/)
       WHEN 'recovery' THEN (SELECT count(*) FROM recovery /*scan*/)
       WHEN 'message' THEN (SELECT count(*) FROM message /*scan*/)
       WHEN 'flow' THEN (SELECT count(*) FROM flow /*scan*/)
       WHEN 'bin' THEN (SELECT count(*) FROM bin /*scan*/)
       WHEN 'tap_path' THEN (SELECT count(*) FROM tap_path /*scan*/)
       WHEN 'congestion' THEN (SELECT count(*) FROM congestion /*scan*/)
       WHEN 'cm' THEN (SELECT count(*) FROM cm /*scan*/) END AS stored,
       not_stored,
       CASE table_name
       WHEN 'event' THEN 'the figures of flows and taps count all'
       WHEN 'recovery' THEN 'findings count those stored, so that they are '
                            || 'lower bounds; the figures of flows count all'
       WHEN 'evidence' THEN 'so many recoveries were decided by what was known '
                            || 'of their flow then'
       WHEN 'message' THEN NULL
       WHEN 'flow' THEN 'no finding covers the others'
       WHEN 'bin' THEN 'load over time has holes'
       WHEN 'tap_path' THEN 'these flows are not compared across capture points'
       WHEN 'burst' THEN 'when these flows sent was not compared, so that '
                         || 'their jobs have no phases'
       WHEN 'congestion' THEN 'how these flows reacted to marks was not '
                              || 'followed'
       WHEN 'cm' THEN 'connections made there are not listed'
       ELSE 'queries do not list them' END AS means
  FROM row_limit /*scan*/
 WHERE not_stored > 0 ORDER BY table_name

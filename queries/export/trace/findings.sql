-- Which findings are there, and when?
-- Costliest first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column id id  finding.id
-- column rule text  finding.rule
-- column confidence share  confidence, 0..1
-- column cost_ns duration  time lost
-- column detail text  in a few sentences
-- column total count  total number
SELECT 'Findings' AS process, severity AS track, NULL AS lane, title AS name,
       first_ns AS start_ns, last_ns AS end_ns, id, rule, confidence, cost_ns,
       detail, count(*) OVER () AS total
  FROM finding
 WHERE first_ns IS NOT NULL
 ORDER BY id
 LIMIT :limit

-- What could not be seen, or only in part, and why?
-- Taps with the same answer are one row; the first fifty.
--
-- column what text  what one might want to know
-- column verdict text  no partial
-- column why text  the reason
-- column taps text  where, NULL: at every tap
SELECT o.what, o.verdict, o.why,
       CASE WHEN count(*) < (SELECT count(*) FROM tap /*scan*/)
            THEN CASE WHEN count(*) > 5
                      THEN count(*) || ' taps'
                      ELSE group_concat(t.name, ', ') END END AS taps
  FROM observability o /*scan*/
  JOIN tap t ON t.id = o.tap_id
 WHERE o.verdict <> 'yes'
 GROUP BY o.what, o.verdict, o.why
 ORDER BY o.verdict, o.what, min(o.tap_id) LIMIT 50

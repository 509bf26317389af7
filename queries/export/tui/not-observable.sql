-- Why can something not be seen, at any capture point?
--
-- param what text required  as in observability
-- column why text  the reason
--
-- example fabscope query DB tui/not-observable --param what=pfc
SELECT why FROM observability
 WHERE what = :what
   AND NOT EXISTS (SELECT 1 FROM observability
                    WHERE what = :what AND verdict = 'yes')
 ORDER BY verdict, tap_id LIMIT 1

-- Are phases longer while another job communicates?
-- param factor real 1.1  so many times as long
-- needs interference
SELECT 'info' AS severity, 0.6 AS confidence,
       'Phases of job ' || i.job || ' are ' || round(i.factor, 2)
         || ' times as long while job ' || i.other || ' communicates'
         AS title,
       'Estimated interference: ' || human_ns(i.median_with_ns)
         || ' in the median of ' || plural(i.phases_with, 'phase')
         || ' with it, ' || human_ns(i.median_without_ns) || ' in that of '
         || plural(i.phases_without, 'phase') || ' without. What else '
         || 'differed between them is not known.' AS detail,
       'Give the jobs links of their own, or capture one of them alone and '
         || 'compare (fabscope diff).' AS action,
       j.first_ns, j.last_ns,
       json_object('numbers',
                   json_object('factor', i.factor,
                               'phases_with', i.phases_with,
                               'phases_without', i.phases_without),
                   'query', 'fabscope query DB interference') AS evidence
  FROM interference i /*scan*/
  JOIN job j ON j.id = i.job
 WHERE i.factor >= :factor

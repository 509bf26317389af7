-- Which findings appeared, disappeared or changed?
-- Matched by their rule and whom they are about.  How often they happened is
-- compared per packet of the capture (two Poisson rates, exact conditional test):
-- below 0.01 it is no chance.  Of what is not counted, only what weighs something
-- is called appeared or disappeared.
--
-- column rule text  the query that made them
-- column subject text  whom they are about
-- column severity text  the graver of both
-- column a text  title in the first; NULL none
-- column b text  title in the second; NULL none
-- column a_occurrences count  times it happened
-- column b_occurrences count  times it happened
-- column a_cost_ns duration  cost in the first
-- column b_cost_ns duration  cost in the second
-- column p real  of such a difference by chance; NULL: not counted
-- column verdict text  appeared, disappeared, changed, not significant, same, cannot tell
WITH f AS (
  SELECT side, rule, subject, min(title) AS title,
         max(CASE severity WHEN 'critical' THEN 3 WHEN 'warning' THEN 2
                           WHEN 'ok' THEN 1 ELSE 0 END) AS grave,
         sum(occurrences) AS occurrences, sum(cost_ns) AS cost
    FROM compared_finding /*scan*/ GROUP BY side, rule, subject),
span AS (
  SELECT max(value) FILTER (WHERE side = 'a') AS a,
         max(value) FILTER (WHERE side = 'b') AS b
    FROM compared_quality /*scan*/ WHERE what = 'packets'),
k AS (SELECT rule, subject, max(grave) AS grave FROM f GROUP BY rule, subject),
c AS (
  SELECT k.rule, k.subject, k.grave, a.title AS a, b.title AS b,
         a.occurrences AS na, b.occurrences AS nb, a.cost AS ca, b.cost AS cb,
         CASE WHEN a.occurrences IS NOT NULL OR b.occurrences IS NOT NULL
              THEN poisson_p(ifnull(a.occurrences, 0), ifnull(span.a, span.b),
                             ifnull(b.occurrences, 0), ifnull(span.b, span.a))
              END AS p
    FROM k JOIN span
    LEFT JOIN f a ON a.side = 'a' AND a.rule = k.rule AND a.subject = k.subject
    LEFT JOIN f b ON b.side = 'b' AND b.rule = k.rule AND b.subject = k.subject)
SELECT rule, subject,
       CASE grave WHEN 3 THEN 'critical' WHEN 2 THEN 'warning'
                  WHEN 1 THEN 'ok' ELSE 'info' END AS severity,
       a, b, na AS a_occurrences, nb AS b_occurrences, ca AS a_cost_ns,
       cb AS b_cost_ns, p,
       CASE WHEN a IS NOT NULL AND b IS NOT NULL
            THEN CASE WHEN a = b THEN 'same'
                      WHEN p < 0.01 THEN 'changed'
                      WHEN p IS NULL THEN 'cannot tell' ELSE 'not significant' END
            WHEN p >= 0.01 OR (p IS NULL AND grave < 2) THEN 'cannot tell'
            WHEN a IS NULL THEN 'appeared' ELSE 'disappeared' END AS verdict
  FROM c
 ORDER BY grave DESC, p, rule, subject
 LIMIT 1000

-- How many differences are there?
--
-- column tests count  comparisons of many values with many
-- column different count  of these, different statistically significant
-- column cannot_tell count  too few values for a comparison
-- column identical flag  all that is compared is the same
SELECT (SELECT count(p) FROM compared_test /*scan*/) AS tests,
       (SELECT count(*) FROM compared_test /*scan*/
         WHERE verdict = 'different') AS different,
       (SELECT count(*) FROM compared_test /*scan*/
         WHERE verdict = 'cannot tell') AS cannot_tell,
       NOT EXISTS (SELECT 1 FROM compared_test /*scan*/
                    WHERE verdict <> 'same')
         AND NOT EXISTS (SELECT 1 FROM compared_kpi /*scan*/
                          GROUP BY name
                         HAVING min(value) IS NOT max(value)
                             OR count(value) = 1) AS identical

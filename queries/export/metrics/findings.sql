-- How many current findings are there, by rule?
--
-- column severity text  critical warning info ok
-- column rule text  finding.rule
-- column value count  findings
SELECT severity, rule, count(*) AS value
  FROM finding GROUP BY severity, rule ORDER BY severity, rule

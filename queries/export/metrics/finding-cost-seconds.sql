-- How much time did findings cost, summed over flows, by rule?
-- Absent where that is not known.
--
-- column severity text  critical warning info ok
-- column rule text  finding.rule
-- column value real  seconds
SELECT severity, rule, sum(cost_ns) / 1e9 AS value
  FROM finding GROUP BY severity, rule ORDER BY severity, rule

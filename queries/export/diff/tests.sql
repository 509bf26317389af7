-- What is different statistically significant?
-- Values of the first against values of the second by the rank sum test of Mann
-- and Whitney (two-sided, ties corrected), with p times the number of tests
-- (Bonferroni).  Values in order of time count as fewer where they resemble
-- those just before.  Different is p below 0.01 and 10 % between the medians
-- (the means, where both medians are 0); one of many flows or links must also
-- have moved further than these are apart.  Fewer than 8 values of a side cannot
-- tell.  Tails also differ where three values at least lie 20 % and 10 deviations
-- beyond all of the other side, less than 5 % by chance.
--
-- column metric text  what was measured
-- column subject text  of whom; NULL: all
-- column unit text  of the medians
-- column a_n count  values of the first
-- column a_median real  their median (mean, where both medians are 0)
-- column a_mad real  their median deviation from it
-- column b_n count  values of the second
-- column b_median real  their median (mean, where both medians are 0)
-- column b_mad real  their median deviation from it
-- column tail text  a b: its slowest values are far beyond the other's
-- column change share  second over first, less 1; NULL: from 0
-- column p real  times the number of tests, at most 1
-- column verdict text  different, same, not significant, cannot tell
-- column better text  a b: which is better; NULL: neither, or no difference
SELECT metric, subject, unit, a_n, a_median, a_mad, b_n, b_median, b_mad,
       tail, change, p, verdict, better
  FROM compared_test /*scan*/
 ORDER BY verdict <> 'different', p, metric, subject

-- How much do jobs disturb each other?
-- Estimated interference: phases of a job while the other communicates, against
-- those while it does not.  A factor needs 20 phases of each kind.
-- column job id  the one disturbed
-- column other id  by whom
-- column phases_with count  phases while the other communicates
-- column phases_without count  phases while it does not
-- column median_with_ns duration  the median of the first
-- column median_without_ns duration  and of the second
-- column factor real  first by second; NULL: too few
-- column label text  what that is
-- example fabscope query DB interference
SELECT job, other, phases_with, phases_without, median_with_ns,
       median_without_ns, round(factor, 3) AS factor,
       CASE WHEN factor IS NULL
            THEN 'n/a - needs 20 phases of each kind'
            ELSE 'estimated interference' END AS label
  FROM interference /*scan*/
 ORDER BY factor DESC, job, other LIMIT 200

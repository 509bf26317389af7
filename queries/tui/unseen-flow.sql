-- What of one flow can not be seen, and why?
--
-- param flow id required  flow.id
-- column why text  the reason; no row: its answers are here
--
-- example fabscope query DB tui/unseen-flow --param flow=1
SELECT CASE WHEN transport = 'UET-TSS'
            THEN 'it is encrypted (TSS), and what cannot be read cannot be '
                 || 'told: losses, copies, answers, messages'
            WHEN transport IN ('UD', 'UC', 'UET-UUD')
            THEN transport || ' has no answers that would tell'
            WHEN visibility = 'rev'
            THEN 'it answers requests that did not pass here'
            ELSE 'its answers did not pass here, which would tell of what '
                 || 'happened behind this point' END AS why
  FROM flow
 WHERE id = :flow
   AND (visibility <> 'both'
        OR transport IN ('UET-TSS', 'UD', 'UC', 'UET-UUD'))

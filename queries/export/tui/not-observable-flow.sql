-- What of one flow can not be seen, and why?
--
-- param flow id required  flow.id
-- column why text  the reason; no row: its answers are here
--
-- example fabscope query DB tui/not-observable-flow --param flow=1
SELECT CASE WHEN transport = 'UET-TSS'
            THEN 'it is encrypted (TSS): losses, retransmissions, ACKs and '
                 || 'messages cannot be read'
            WHEN transport IN ('UD', 'UC', 'UET-UUD')
            THEN transport || ' has no ACKs that would show it'
            WHEN visibility = 'rev'
            THEN 'it responds to requests that do not pass this capture point'
            ELSE 'its ACKs do not pass this capture point; they would show '
                 || 'what happened downstream' END AS why
  FROM flow
 WHERE id = :flow
   AND (visibility <> 'both'
        OR transport IN ('UET-TSS', 'UD', 'UC', 'UET-UUD'))

-- Can be seen here what senders make of notifications?
-- Only asked where there are any.
--
-- into observability
SELECT f.tap_id, 'reaction' AS what,
       CASE WHEN sum(c.inconclusive) = 0 THEN 'yes'
            WHEN sum(c.reacted + c.not_reacted) > 0 THEN 'partial'
            ELSE 'no' END AS verdict,
       'known after ' || human_count(sum(c.reacted + c.not_reacted)) || ' of '
         || plural(sum(c.reacted + c.not_reacted + c.inconclusive), 'window')
         || ' with CNPs'
         || CASE WHEN max(c.shared)
                 THEN '; downstream of the marking queue the rate need not be '
                      || 'that of the senders: capture nearer to them'
                 ELSE '' END AS why
  FROM congestion /*scan*/ c
  JOIN flow f ON f.id = c.flow_id
 WHERE c.cnps > 0
 GROUP BY f.tap_id

-- What was not observable, or only in part, and why?
-- Taps with the same answer are one row; the first fifty.  What flows tell is
-- asked where they are counted: not at the further links of a hop, nor at the
-- further files of a capture that was written in pieces.
--
-- column what word  what one might want to know
-- column verdict text  no partial
-- column why text  the reason
-- column taps text  where, NULL: at every tap
SELECT o.what, o.verdict, o.why,
       CASE WHEN count(*) < (SELECT count(*) FROM tap /*scan*/)
            THEN CASE WHEN count(*) > 5
                      THEN count(*) || ' taps'
                      ELSE group_concat(t.name, ', ') END END AS taps
  FROM observability o /*scan*/
  JOIN tap t ON t.id = o.tap_id
 WHERE o.verdict <> 'yes'
   -- Nobody expects Ultra Ethernet in a capture of RoCE.
   AND NOT (o.what = 'uet'
            AND (SELECT sum(packets_roce + packets_cnp) > 0
                        AND sum(packets_uet) = 0 FROM tap /*scan*/))
   AND NOT (o.what IN ('ack', 'capture_loss', 'cnp', 'credit', 'latency',
                       'loss', 'reordering')
            AND EXISTS (SELECT 1 FROM coverage c
                         WHERE c.tap_id = o.tap_id AND c.flows = 0)
            AND t.place IN (SELECT s.place FROM tap s /*scan*/
                              JOIN coverage d ON d.tap_id = s.id
                             WHERE d.flows > 0))
 GROUP BY o.what, o.verdict, o.why
 ORDER BY o.verdict, o.what, min(o.tap_id) LIMIT 50

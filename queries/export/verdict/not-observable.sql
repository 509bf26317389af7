-- What was not observable, or only in part, and why?
-- Taps with the same answer are one row; the first fifty.  What flows tell is
-- asked where they are counted: not at the further links of a hop, nor at the
-- further files of a capture that was written in pieces.  Where there is no
-- packet of RoCE or Ultra Ethernet, that is the one reason for all.
--
-- column what word  what one might want to know
-- column verdict text  no partial
-- column why text  the reason
-- column taps text  where, NULL: at every tap
WITH ours AS (
  SELECT ifnull(sum(packets_roce + packets_cnp), 0) AS roce,
         ifnull(sum(packets_uet), 0) AS uet FROM tap /*scan*/),
unseen AS (
  SELECT o.what, o.verdict, o.why,
         CASE WHEN count(*) < (SELECT count(*) FROM tap /*scan*/)
              THEN CASE WHEN count(*) > 5
                        THEN count(*) || ' taps'
                        ELSE group_concat(t.name, ', ') END END AS taps,
         min(o.tap_id) AS first
    FROM observability o /*scan*/
    JOIN tap t ON t.id = o.tap_id
    JOIN ours
   WHERE o.verdict <> 'yes'
     AND CASE WHEN roce + uet = 0
              THEN o.what = 'uet' AND (t.uet_unnamed_port IS NOT NULL
                                       OR t.packets_not_uet > 0)
              -- Nobody expects Ultra Ethernet in a capture of RoCE.
              ELSE uet > 0 OR o.what <> 'uet' END
     AND NOT (o.what IN ('ack', 'capture_loss', 'cnp', 'credit', 'latency',
                         'loss', 'reordering')
              AND EXISTS (SELECT 1 FROM coverage c
                           WHERE c.tap_id = o.tap_id AND c.flows = 0)
              AND t.place IN (SELECT s.place FROM tap s /*scan*/
                                JOIN coverage d ON d.tap_id = s.id
                               WHERE d.flows > 0))
   GROUP BY o.what, o.verdict, o.why
   UNION ALL
  SELECT 'everything', 'no',
         'there is neither a RoCE nor an Ultra Ethernet packet', NULL, 0
    FROM ours WHERE roce + uet = 0)
SELECT what, verdict, why, taps FROM unseen
 ORDER BY verdict, what, first LIMIT 50

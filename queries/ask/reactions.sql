-- How did senders react to the CNPs they received?
-- A window after a CNP in which the rate is 80 % or less of that before counts
-- as reacted.  ignored is the longest row of CNPs, closely spaced, after which
-- the rate was still above 80 % of that before the first.  In a time window: the
-- CNPs of then; marks and ignored are not known.
--
-- param once flag NULL  1: one row for a flow that several taps saw, of the tap that saw most marks
-- param flow id NULL  of one flow
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 100  maximum number of rows
-- column flow_id id  flow.id
-- column tap_id id  tap.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column marks count  marked data packets
-- column cnps count  CNPs
-- column reacted count  windows in which the rate fell
-- column not_reacted count  in which it did not
-- column inconclusive count  inconclusive
-- column ignored count  CNPs in a row without effect
-- column rate_start_bps rate  before the first CNP
-- column rate_low_bps rate  lowest window after a CNP
-- column rate_end_bps rate  latest window after a CNP
-- column shared flag  the rate seen here need not be the sender's rate
--
-- uses flow-once
-- example fabscope query DB reactions --param limit=20
WITH throttled AS (
  SELECT flow_id, marks, cnps, reacted, not_reacted, inconclusive, ignored,
         rate_start_bps, rate_low_bps, rate_end_bps, shared
    FROM congestion /*scan*/
   WHERE cnps > 0 AND coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT n.flow_id, NULL, count(*), sum(n.reaction = 'reacted'),
         sum(n.reaction = 'none'), sum(n.reaction = 'inconclusive'), NULL,
         max(CASE WHEN n.place = 1 THEN n.rate_before_bps END),
         min(n.rate_after_bps),
         max(CASE WHEN n.place = n.places THEN n.rate_after_bps END), c.shared
    FROM (SELECT *, row_number() OVER w AS place,
                 count(*) OVER (PARTITION BY flow_id, rate_after_bps IS NULL)
                   AS places
            FROM cnp /*scan*/
           WHERE (:from IS NULL OR ns >= :from) AND (:to IS NULL OR ns <= :to)
             AND coalesce(:from, :to) IS NOT NULL
          WINDOW w AS (PARTITION BY flow_id, rate_after_bps IS NULL
                           ORDER BY ns)) n
    JOIN congestion c ON c.flow_id = n.flow_id
   GROUP BY n.flow_id),
best AS (
  SELECT flow_id, row_number() OVER (
           PARTITION BY counted_id
               ORDER BY marks DESC, cnps DESC, flow_id) AS nth
    FROM throttled JOIN flow_once USING (flow_id)
   WHERE :once)
SELECT c.flow_id, f.tap_id, f.src, f.dst, f.dst_qp, c.marks, c.cnps,
       c.reacted, c.not_reacted, c.inconclusive, c.ignored, c.rate_start_bps,
       c.rate_low_bps, c.rate_end_bps, c.shared
  FROM throttled c
  JOIN flow f ON f.id = c.flow_id
 WHERE (NOT ifnull(:once, 0)
        OR c.flow_id IN (SELECT flow_id FROM best WHERE nth = 1))
   AND (:flow IS NULL OR c.flow_id = :flow)
 ORDER BY c.ignored DESC, c.cnps DESC, c.flow_id
 LIMIT :limit

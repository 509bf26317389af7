-- Which CNPs were there, and how did each sender react?
-- Latency is from mark to CNP at this capture point: at the receiver's link
-- about what its NIC takes, nearer to the sender a round trip more.  The mark
-- that a CNP answers is known for the first of a burst (clean); else it lies
-- between the two bounds.
--
-- param once flag NULL  1: of the taps that saw a flow, only the one at which most latencies are known
-- param flow id NULL  of one throttled flow
-- param reaction text NULL  reacted, none or inconclusive
-- param clean flag NULL  1: only those with a known trigger
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column ns time  when
-- column tap_id id  tap.id
-- column frame id  frame number in the file of the tap
-- column flow_id id  flow.id of the throttled flow
-- column attribution text  how that is known
-- column receiver text  who sent it
-- column sender text  sender that the CNP throttles
-- column qp hex  its queue pair
-- column latency_min_ns duration  from the last mark it may answer
-- column latency_max_ns duration  from the first mark it may answer
-- column clean flag  latency_max_ns is the latency
-- column rate_before_bps rate  of the flow before
-- column window_before_ns duration  measured over so long
-- column rate_after_bps rate  of the flow after
-- column window_after_ns duration  measured over so long
-- column reaction word  of the sender
-- column detail reason  why inconclusive, or why sent without a mark
--
-- uses flow-once
-- example fabscope query DB cnps --param reaction=reacted --param limit=20
WITH best AS (
  SELECT flow_id, row_number() OVER (
           PARTITION BY counted_id
               ORDER BY sum(clean) DESC, count(*) DESC, flow_id) AS nth
    FROM cnp /*scan*/ JOIN flow_once USING (flow_id)
   WHERE :once
   GROUP BY flow_id)
SELECT ns, tap_id, frame, flow_id, attribution, receiver, sender, qp,
       latency_min_ns, latency_max_ns, clean, rate_before_bps,
       window_before_ns, rate_after_bps, window_after_ns, reaction, detail
  FROM cnp /*scan*/
 WHERE (NOT ifnull(:once, 0) OR flow_id IS NULL
        OR flow_id IN (SELECT flow_id FROM best WHERE nth = 1))
   AND (:flow IS NULL OR flow_id = :flow)
   AND (:reaction IS NULL OR reaction = :reaction)
   AND (:clean IS NULL OR clean = :clean)
   AND (:from IS NULL OR ns >= :from)
   AND (:to IS NULL OR ns <= :to)
 ORDER BY ns, id
 LIMIT :limit

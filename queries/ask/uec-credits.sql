-- How many credits did senders use (UEC CBFC)?
-- Only what senders say they used is in an Ethernet capture; what receivers
-- gave back is not.
--
-- param limit count 1000  maximum number of rows
-- column tap_id id  tap.id
-- column source_mac text  the sender of the data
-- column channel id  virtual channel
-- column first_ns time  first update
-- column last_ns time  last update
-- column updates count  CC_Update frames
-- column credits count  used up between them
-- column per_s real  credits a second
-- column stalls count  times none was used for 1 ms or longer
-- column stalled_ns duration  in all
-- column longest_ns duration  the longest
--
-- example fabscope query DB uec-credits
SELECT tap_id, source_mac, channel, first_ns, last_ns, updates, credits,
       1e9 * credits / nullif(last_ns - first_ns, 0) AS per_s, stalls,
       stalled_ns, longest_ns
  FROM uec_credit /*scan*/
 ORDER BY tap_id, source_mac, channel
 LIMIT :limit

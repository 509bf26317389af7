-- How many credits did a sender use over time (UEC CBFC)?
--
-- param mac text NULL  only this sender
-- param channel id NULL  only this virtual channel
-- param limit count 10000  maximum number of rows
-- column start_ns time  begin of the interval
-- column width_ns duration  its length
-- column tap_id id  tap.id
-- column source_mac text  the sender of the data
-- column channel id  virtual channel
-- column updates count  CC_Update frames
-- column credits count  used up
--
-- example fabscope query DB uec-credits-over-time --param channel=3
SELECT start_ns, width_ns, tap_id, source_mac, channel, updates, credits
  FROM uec_credit_bin /*scan*/
 WHERE (:mac IS NULL OR source_mac = :mac)
   AND (:channel IS NULL OR channel = :channel)
 ORDER BY tap_id, source_mac, channel, start_ns
 LIMIT :limit

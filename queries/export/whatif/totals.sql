-- What became of the packets, once each flow?
--
-- column data count  packets with data, or of messages
-- column marked count  marked ECN CE
-- column lost count  lost, at least
-- column missing count  not captured
-- column pauses count  pause frames, of all taps
-- column first_ns time  first packet of the capture
SELECT (SELECT ifnull(sum(f.requests), 0) FROM flow f /*scan*/
         WHERE f.id = ifnull((SELECT counted_id FROM same_flow
                               WHERE flow_id = f.id), f.id)) AS data,
       (SELECT ifnull(sum(m), 0) FROM (SELECT max(f.ce) AS m FROM flow f /*scan*/
          LEFT JOIN same_flow s ON s.flow_id = f.id
         GROUP BY ifnull(s.counted_id, f.id))) AS marked,
       (SELECT ifnull(sum(ifnull(f.lost_upstream, 0)
                          + ifnull(f.lost_downstream_min, 0)), 0) FROM flow f /*scan*/
         WHERE f.id = ifnull((SELECT counted_id FROM same_flow
                               WHERE flow_id = f.id), f.id)) AS lost,
       (SELECT ifnull(sum(capture_missing), 0) FROM flow /*scan*/) AS missing,
       (SELECT ifnull(sum(packets_pfc + packets_pause), 0) FROM tap) AS pauses,
       (SELECT min(first_ns) FROM capture) AS first_ns

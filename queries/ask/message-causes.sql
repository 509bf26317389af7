-- Where did the time of slow messages go?
-- Those that took more than twice the mean of their flow, the longest first.
-- param limit count 50  rows
-- column message id  message.id
-- column flow_id id  flow.id
-- column op text  operation
-- column bytes bytes  bytes
-- column first_ns time  first packet
-- column length_ns duration  until completed
-- column class word  as in table answer_share
-- column side text  needed network host unknown
-- column time_ns duration  so much
-- example fabscope query DB message-causes
WITH m AS (
  SELECT DISTINCT message_id AS id FROM message_time /*scan*/)
SELECT m.id AS message, x.flow_id, x.op, x.bytes, x.first_ns,
       x.completed_ns - x.first_ns AS length_ns, t.class, t.side, sum(t.time_ns) AS time_ns
  FROM m
  JOIN message x ON x.id = m.id
  JOIN message_time t ON t.message_id = m.id
 GROUP BY m.id, t.class, t.side
 ORDER BY length_ns DESC, m.id, time_ns DESC LIMIT :limit

-- From when to when were messages under way?
-- Slowest first.
--
-- param limit count 10000  maximum number of rows
-- column process text  top of the tree
-- column track text  row of it
-- column lane text  row below, or NULL
-- column name text  what is written on the slice
-- column start_ns time  begin
-- column end_ns time  end; NULL or the same: a moment
-- column message_id id  message.id
-- column bytes bytes  bytes
-- column psn_first hex  PSN of the first packet
-- column status text  complete, or why not
-- column total count  total number
SELECT 'Flows' AS process, 'flow ' || flow_id AS track, 'messages' AS lane,
       op || CASE status WHEN 'complete' THEN '' ELSE ', ' || status END
         AS name,
       first_ns AS start_ns, ifnull(completed_ns, last_ns) AS end_ns,
       id AS message_id, bytes, psn_first, status, count(*) OVER () AS total
  FROM message /*scan*/
 ORDER BY ifnull(completed_ns, last_ns) - first_ns DESC, id
 LIMIT :limit

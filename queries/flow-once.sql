-- Which flows are one and the same, seen at several capture points?
-- For whoever adds flows up: group by once_id, and none counts twice.
--
-- column flow_id id  flow.id
-- column once_id id  of all that are this flow, the one with most packets
--
-- example fabscope query DB flow-once
SELECT id AS flow_id,
       ifnull((SELECT once_id FROM twin WHERE flow_id = flow.id), id)
         AS once_id
  FROM flow /*scan*/

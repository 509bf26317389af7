-- Which flows are one and the same, seen at several capture points?
-- For whoever adds flows up: group by counted_id, and none counts twice.
--
-- column flow_id id  flow.id
-- column counted_id id  of all that are this flow, the one with most packets
--
-- example fabscope query DB flow-once
SELECT id AS flow_id,
       ifnull((SELECT counted_id FROM same_flow WHERE flow_id = flow.id), id)
         AS counted_id
  FROM flow /*scan*/

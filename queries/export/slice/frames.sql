-- Which frames are the evidence of a finding?
-- One row without a frame for a finding that names none.
--
-- param id id required  finding.id
-- column title text  of the finding
-- column at_tap_id id  tap.id when the finding has only one
-- column first_ns time  begin of the finding
-- column last_ns time  end of the finding
-- column tap_id id  tap.id
-- column frame count  frame number in the file of the tap
SELECT n.title, n.tap_id AS at_tap_id, n.first_ns, n.last_ns,
       e.value ->> 'tap' AS tap_id, e.value ->> 'frame' AS frame
  FROM finding n
  LEFT JOIN json_each(n.evidence, '$.frames') e
 WHERE n.id = :id

-- Can latency be measured here?
SELECT c.tap_id, 'latency' AS what,
       CASE WHEN c.packets_both > 0 THEN 'partial' ELSE 'no' END AS verdict,
       CASE WHEN c.packets_both > 0
            THEN 'from request to answer as both pass this point, which '
                 || 'leaves out the way from the requester to it'
                 || CASE WHEN c.tap_id NOT IN
                              (SELECT from_tap_id FROM segment UNION
                               SELECT to_tap_id FROM segment)
                         THEN '; one-way delay needs two capture points '
                              || 'with one clock' ELSE '' END
            ELSE 'requests and their answers are not both here' END AS why
  FROM coverage c

-- When did a flow recover from a loss, and what was it doing?
-- Detection: until the sender has been told and retransmits.  Timeout: until
-- its timer tells it.  Replay: until it has caught up; all of it where it
-- cannot be seen how the sender knew.
SELECT flow_id, first_ns, resend_ns AS last_ns, 'recovery' AS class,
       CASE trigger WHEN 'timeout' THEN 'timeout' WHEN 'unknown' THEN 'replay'
                    ELSE 'detection' END AS part
  FROM recovery /*scan*/
 WHERE trigger <> 'rnr' AND cause <> 'rnr'
UNION ALL
SELECT flow_id, resend_ns, last_ns, 'recovery', 'replay'
  FROM recovery /*scan*/
 WHERE trigger <> 'rnr' AND cause <> 'rnr'

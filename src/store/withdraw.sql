-- What is taken back of flows that were seen through one of several links, which
-- is only known when all of them was: what asked for a copy, or the answer that
-- made it needless, may have passed another link.
CREATE TEMP TABLE sprayed AS
SELECT id AS flow_id FROM flow /*scan*/ WHERE spray_suspect;

UPDATE recovery SET trigger = 'unknown'
 WHERE trigger = 'timeout' AND flow_id IN (SELECT flow_id FROM sprayed);
UPDATE recovery SET cause = 'unknown'
 WHERE cause = 'ack_loss' AND flow_id IN (SELECT flow_id FROM sprayed);
UPDATE event SET kind = 'retransmit_unknown'
 WHERE kind = 'retransmit_timeout'
   AND flow_id IN (SELECT flow_id FROM sprayed);
DELETE FROM event
 WHERE kind = 'ack_lost' AND flow_id IN (SELECT flow_id FROM sprayed);

DROP TABLE sprayed;

-- What did the job log, and how far are its clocks off that of the capture?
--
-- column id id  job_log.id
-- column path text  the file
-- column format text  nccl-inspector or flight-recorder
-- column host text  host name in the log
-- column address text  of the host
-- column address_by text  given host topology rank: how that is known
-- column communicator text  its name for the group of ranks
-- column rank count  of the writer in it
-- column ranks count  in it
-- column operations count  in the record
-- column skipped count  records that could not be used
-- column unknown_members count  members of records that nobody knows
-- column offset_ns duration  to add to its times
-- column error_ns duration  that may be wrong by so much
-- column aligned_by text  packets host ranks: how that is known; clock: taken as it is
-- column inside share  bursts of its packets inside of operations then
-- column why_not text  why the offset is not known
-- column at_ns time  when that is the offset
-- column drift_ppm real  the offset grows by so many us a second
-- column drift_low_ppm real  the least that fits
-- column drift_high_ppm real  the greatest
--
-- example fabscope query DB job-logs
SELECT id, path, format, host, address, address_by, communicator, rank, ranks,
       operations, skipped, unknown_members, offset_ns, error_ns, aligned_by,
       1.0 * bursts_inside / bursts AS inside, why_not, at_ns,
       drift_ppb / 1e3 AS drift_ppm, drift_low_ppb / 1e3 AS drift_low_ppm,
       drift_high_ppb / 1e3 AS drift_high_ppm
  FROM job_log
 ORDER BY communicator, rank, id

-- Which capture files were read, and how much of them?
--
-- column id id  capture.id
-- column path text  as it was given
-- column format text  file format
-- column packets count  packets analyzed
-- column bytes bytes  bytes of the file, decompressed
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column damaged_ranges count  corrupted byte ranges
-- column skipped_packets count  packets there but unusable
-- column filtered_packets count  packets the filter kept out
-- column cut flag  1: its end is missing (cut off inside a packet)
--
-- example fabscope query DB captures
SELECT id, path, format, packets, bytes, first_ns, last_ns, damaged_ranges,
       skipped_packets, filtered_packets, cut
  FROM capture
 ORDER BY id

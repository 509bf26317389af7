-- What was read?
-- The first hundred captures.
--
-- column id id  capture.id
-- column path text  as it was given; - is standard input
-- column format text  of the file
-- column packets count  packets analysed
-- column bytes bytes  size, decompressed
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column damaged_ranges count  stretches that could not be read
-- column skipped_packets count  packets that were there but unusable
-- column filtered_packets count  packets the filter kept out
-- column cut flag  the file ends inside a packet
SELECT id, path, format, packets, bytes, first_ns, last_ns, damaged_ranges,
       skipped_packets, filtered_packets, cut
  FROM capture
 ORDER BY id LIMIT 100

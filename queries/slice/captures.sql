-- Which captures was this database made from, in the order they were read?
--
-- column path text  as it was given to analyze
-- column packets count  packets analysed
-- column filtered_packets count  packets a filter kept out
-- column bytes bytes  size, decompressed
SELECT path, packets, filtered_packets, bytes FROM capture ORDER BY id

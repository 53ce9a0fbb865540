"""Makes homework of its sources: what students are handed, and what its teacher keeps."""

"""Makes homework of its sources: what students are handed, and what its teacher keeps."""

ANSWER_HERE = "*Write your answer here.*"  # in the place of a written answer

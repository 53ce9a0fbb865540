"""Makes notebooks of sources, and says where two notebooks differ."""

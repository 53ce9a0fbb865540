"""A class's folder, outside the clone, and the settings in it that all commands read."""

"""The series as a web site."""

"""nbgrader's settings for these assignments: copy this folder, or run nbgrader in it."""

c = get_config()  # noqa: F821  (nbgrader hands it in)

c.CourseDirectory.course_id = "attention"
c.CourseDirectory.source_directory = "teacher"
c.CourseDirectory.release_directory = "student"
c.ClearSolutions.code_stub = {"python": "return ..."}
c.ClearSolutions.text_stub = "*Write your answer here.*"

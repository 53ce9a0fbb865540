"""Turns the lessons' sources into what people are handed; learners never import it."""


class BuildError(Exception):
    """What stands in the way of making something, worded for the person who makes it.

    `quote` is the piece of a source that is at fault, a formula or a picture's address, as it
    stands there; empty where nothing is quoted.
    """

    def __init__(self, message, quote=""):
        super().__init__(message)
        self.quote = quote

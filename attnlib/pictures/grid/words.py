"""A grid in words: as text, line by line, and as the sentences that stand for its picture."""

TOLD = 64  # numbers that the sentences read out; of more they tell the ends


def _head(table):
    """Return the name of an array, its shape as NumPy writes it, and what rows and columns are."""
    row, column = table.axes
    axes = f": rows are {row}, columns {column}" if row and column else ""
    return f"{table.name} {table.shape}".strip() + axes


def as_text(table):
    """Write an array as text: a line for each row, and first what it is."""
    if table.large:
        return f"{_head(table)}\n{_ends(table)}"
    words = [[word.replace("−", "-") for word in row] for row in table.words]
    left = max(map(len, table.rows), default=0)
    rows = zip(table.rows, words, strict=True)
    lines = [["", *table.columns], *([name, *row] for name, row in rows)]
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    told = ["  ".join([row[0].ljust(left), *map(str.rjust, row[1:], wide[1:])]) for row in lines]
    return "\n".join([_head(table), *(line.rstrip() for line in told)])


def as_sentences(table):
    """Say an array in a few sentences; of a large one its ends."""
    n_rows, n_columns = len(table.rows), len(table.columns)
    numbers = f"{n_columns} number{'s' * (n_columns != 1)}"
    size = f"{n_rows} by {n_columns}" if len(table.shape) == 2 else numbers
    told = [f"{table.name or 'Grid'}, {size}."]
    if all(table.axes):
        told.append("Rows are {}, columns {}.".format(*table.axes))
    if n_rows * n_columns > TOLD:
        return " ".join([*told, _ends(table)])
    if table.columns != tuple(map(str, range(n_columns))):
        told.append(f"Columns: {', '.join(table.columns)}.")
    for name, row in zip(table.rows, table.words, strict=True):
        told.append(f"{name}: {_row(table, row)}." if name else f"{_row(table, row)}.")
    return " ".join(told)


def _row(table, words):
    if {"True", "False"}.isdisjoint(words):
        return ", ".join(words)
    found = [column for column, word in zip(table.columns, words, strict=True) if word == "True"]
    return f"True at {', '.join(found)}" if found else "True nowhere"


def _ends(table):
    """Say the least and the largest number of an array, and where the largest stands."""
    words = [word for row in table.words for word in row]
    if {"True", "False"} & set(words):
        return f"True in {words.count('True')} of {len(words)} cells."
    if table.ends is None:
        return "No number is finite."
    low, high, row, column = table.ends
    return f"From {low} to {high}, which stands in row {row}, column {column}."

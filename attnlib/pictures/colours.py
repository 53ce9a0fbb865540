"""The colours of the roles: figures and widgets share them, and widgets need no Matplotlib."""

COLORS = {
    "query": "#0072B2",
    "key": "#D55E00",
    "scores": "#4B1F7A",
    "value": "#009E73",
    "output": "#CC79A7",
}

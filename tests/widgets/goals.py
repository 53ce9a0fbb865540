"""The moves that reach each lesson's goal, and how far a hand can move each number."""

# Of each lesson that asks: what is handed to the widget's `set`, a move after a move.
MOVES = {}

# Of each widget: the least and the most that its controls give an input, where its trait has more
# or no ends. What stands for a switch has none: a move turns it.
REACH = {
    "Softmax": {"scores": (-10, 10), "temperature": (0.03, 30), "shift": (-800, 800)},
}

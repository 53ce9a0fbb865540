"""Decks, pages and widgets in Firefox and WebKitGTK: a part of its own, `make engines`."""

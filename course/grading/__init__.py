"""Grade submissions: a judge that knows answers, and a sandboxed child that runs what it is handed.

What a student wrote runs in the child alone (`child`), inside a sandbox (`sandbox`) that holds the
interpreter, NumPy and attnlib, and nothing else. The judge (`judge`) never runs it: inputs go in,
results come out (`wire`).
"""

"""How a reader of lesson 04 uses SelfAttention: a word asks, steps build up, a bar is dragged.

Arrow keys end at the last of some radio buttons in WebKitGTK, and go round elsewhere; no play does.
"""

import numpy as np
from playwright.sync_api import expect

from attnlib import attention, attention_scores, attention_weights, entropy, text
from tests.browser.hand import drag, draw_a_finger, keys, spot, tab, tap, unfold

ASKED = "Drag one bar until “a” takes 0.9 of its attention from the first “saw”."
STEPS = ["project", "score", "scale", "softmax", "mix"]
NAMES = ["I", "first saw", "a", "second saw"]
HEADS = ["", "query · key", "score", "weighthow much it takes", "weighthow much it takes"]
ENDS = [
    "querywhat it looks for",
    "keywhat each word is found by",
    "valuewhat each gives",
    "outputwhat it takes, added up",
]
FORMULAS = ["query · key", "÷ √d_key", "exp, ÷ the sum of all", "× value, summed over all words"]
CELLS = "(rows) => rows.map((row) => [...row.querySelectorAll('td')].map((td) => td.innerText))"
_, X = text.toy_sentence()
QUERY, KEY, VALUE = (X @ w for w in text.toy_projections())
WEIGHTS, OUTPUT = attention_weights(QUERY, KEY), attention(QUERY, KEY, VALUE)


def by_mouse(page, widget):
    """Click words, drag over them, step on and back; rest on ribbons; drag bars; see all."""
    unfold(widget)
    _step(widget, "project").click()
    _word(widget, 1).click()
    _rest(page, widget)
    shows(widget, "project", 1)
    for step in STEPS[1:]:
        _button(widget, "Next").click()
        shows(widget, step, 1)
    _button(widget, "Next").click(force=True)  # there is no sixth step
    shows(widget, "mix", 1)
    _row(widget, 2).hover()
    shows(widget, "mix", 1, near=2)
    _word(widget, 3).hover()
    shows(widget, "mix", 1, near=3)
    _rest(page, widget)  # the pointer leaves, the widest ribbon is told again
    shows(widget, "mix", 1)
    page.mouse.move(*_on_ribbon(widget, 3))
    shows(widget, "mix", 1, near=3)
    page.mouse.down()
    page.mouse.up()
    _rest(page, widget)
    shows(widget, "mix", 1, near=3)  # what was clicked stays
    _word(widget, 2).click()
    _rest(page, widget)
    shows(widget, "mix", 2, near=3)
    _button(widget, "Back").click()
    shows(widget, "softmax", 2, near=3)
    _row(widget, 0).click()
    _rest(page, widget)
    shows(widget, "softmax", 2, near=0)
    _drag(page, widget, 2, 3, 1)
    shows(widget, "softmax", 1, near=0)
    _word(widget, 3).hover()  # what was let go asks no more
    _rest(page, widget)
    shows(widget, "softmax", 1, near=0)
    _step(widget, "score").click()
    _word(widget, 0).click()
    _rest(page, widget)
    shows(widget, "score", 0, near=0)
    _all(widget).click()
    for step in STEPS:
        _step(widget, step).click()
        table(widget, step, 0)
    _all(widget).click()
    expect(widget.get_by_role("table")).to_have_count(0)
    _moment(widget, "“a” finds both “saw” alike").click()
    shows(widget, "mix", 2, near=1)
    _step(widget, "softmax").click()
    expect(widget).to_contain_text(ASKED)
    expect(widget).to_contain_text(
        "a takes 0.37 from first saw and second saw each; 0.88 to 0.92 is asked"
    )
    _drag_bar(page, _bar(widget, "query", 2, 1), 40)  # no question parts the two
    query = _follows(widget, 2, "query", 1)
    assert query[2, 1] > 2
    alike = attention_weights(query, KEY)[2, 1]
    expect(widget).to_contain_text(f"a takes {alike:.2f} from first saw and second saw each")
    _back(widget).click()
    _row(widget, 1).click()
    _drag_bar(page, _bar(widget, "key", 1, 1), 41)
    expect(widget).to_contain_text("Done in 3 moves.")  # bringing one back is a move, too
    key = _follows(widget, 1, "key", 1)
    assert 4.6 < key[1, 1] < 5.3, key
    _button(widget, "Next").click()
    _drag_bar(page, _bar(widget, "value", 1, 0), -15)
    assert _follows(widget, 1, "value", 0, key=key)[1, 0] < -1
    _back(widget).click()
    _bar(widget, "key", 1, 1).click()  # a press alone moves nothing
    assert (_follows(widget, 1, "key", 1) == key).all()
    _back(widget).click()
    _rest(page, widget)
    shows(widget, "mix", 2, near=1)


def by_keys(page, widget):
    """Reach steps, buttons, bars, words, ribbons and the table with Tab; go on with arrow keys."""
    at = _chosen(_words(widget))
    unfold(widget, lambda it: it.press("Enter"))
    _step(widget, "project").focus()
    keys(page, "Space", "ArrowRight")
    expect(_step(widget, "score")).to_be_checked()
    tab(page, _button(widget, "Back"), _button(widget, "Next"))
    keys(page, "Enter")
    expect(_step(widget, "scale")).to_be_checked()
    tab(page, _all(widget))
    _bar(widget, "query", at, 0).focus()
    tab(page, _bar(widget, "query", at, 1), _word(widget, at))
    keys(page, *at * ["ArrowUp"], *3 * ["ArrowDown"])
    expect(_word(widget, 3)).to_be_checked()
    keys(page, *3 * ["Tab"])  # on past two bars
    near = _chosen(_rows(widget))
    expect(_row(widget, near)).to_be_focused()
    for steps, to in ((near * ["ArrowUp"], 0), (3 * ["ArrowDown"], 3)):
        keys(page, *steps)
        shows(widget, "scale", 3, near=to)
    keys(page, *8 * ["Tab"])  # on past bars, the number in hand, what unfolds, the step and Back
    for key, step in (("Space", "softmax"), ("Enter", "mix")):
        expect(_button(widget, "Next")).to_be_focused()
        keys(page, key)
        shows(widget, step, 3, near=3)
    expect(_button(widget, "Next")).to_be_focused()  # the last step leaves the focus where it is
    keys(page, "Tab", "Space")
    table(widget, "mix", 3)
    tab(page, _region(widget, "mix", 3))  # arrow keys scroll it
    keys(page, "Shift+Tab", "Space", "Shift+Tab", "Shift+Tab", "Enter")
    shows(widget, "softmax", 3, near=3)
    _bar(widget, "key", 3, 0).focus()
    tab(page, _bar(widget, "key", 3, 1))
    for key, shown in (("Up", "1.10"), ("Right", "1.20"), ("Left", "1.10"), ("Down", "1.00")):
        keys(page, f"Arrow{key}")
        expect(_bar(widget, "key", 3, 1)).to_have_attribute("aria-valuetext", shown)
    for key, shown in (("Home", "−10.00"), ("End", "10.00")):
        keys(page, key)
        expect(_bar(widget, "key", 3, 1)).to_have_attribute("aria-valuetext", shown)
    keys(page, *9 * ["Shift+ArrowLeft"], *9 * ["ArrowLeft"])
    assert _follows(widget, 3, "key", 1)[3, 1] == 0.1
    keys(page, "Shift+Tab")
    expect(_field(widget, "key", 3, 0)).to_have_value("0")
    page.keyboard.type("-0.5")  # goes on in the field
    assert _follows(widget, 3, "key", 0, key=_with(KEY, (3, 1), 0.1))[3, 0] == -0.5
    tab(page, _back(widget))
    keys(page, "Enter")
    shows(widget, "softmax", 3, near=3)
    expect(_back(widget)).to_have_attribute("aria-disabled", "true")
    keys(page, "]", "]")  # from no moment to the first, and on
    shows(widget, "project", 1, near=0)


def by_touch(page, widget):
    """Tap a word, a ribbon, the steps, the buttons, and the numbers; drag a bar with a finger."""
    unfold(widget, lambda it: tap(page, it))
    tap(page, _step(widget, "softmax"))
    tap(page, _row(widget, 1))
    for word in (3, 2):
        tap(page, _word(widget, word))
        shows(widget, "softmax", word, near=1)
    tap(page, _row(widget, 0))
    shows(widget, "softmax", 2, near=0)
    tap(page, _button(widget, "Next"))
    shows(widget, "mix", 2, near=0)
    page.touchscreen.tap(*_on_ribbon(widget, 3))
    shows(widget, "mix", 2, near=3)
    tap(page, _all(widget))
    table(widget, "mix", 2)
    tap(page, _all(widget))
    back = _button(widget, "Back")
    for target, step in ((_step(widget, "scale"), "scale"), (back, "score"), (back, "project")):
        tap(page, target)
        shows(widget, step, 2, near=3)
    tap(page, _step(widget, "softmax"))
    x, y = spot(_bar(widget, "key", 3, 1))
    draw_a_finger(page, (x, y), (x, y - 20), (x, y - 40))
    assert _follows(widget, 3, "key", 1)[3, 1] > 2
    tap(page, _back(widget))
    shows(widget, "softmax", 2, near=3)


def shows(widget, step, word, near=None):
    """Expect a word's step in the picture, and its arithmetic with the word that is near."""
    at = STEPS.index(step)
    near = int(WEIGHTS[word].round(9).argmax()) if near is None else near
    expect(_step(widget, step)).to_be_checked()
    expect(_word(widget, word)).to_be_checked()
    for name, end in (("Back", "project"), ("Next", "mix")):
        expect(_button(widget, name)).to_have_attribute("aria-disabled", str(step == end).lower())
    expect(widget.locator(".head")).to_have_text([*ENDS[:2], HEADS[at], *ENDS[2:]])
    each = [None, KEY @ QUERY[word], _scores(word), WEIGHTS[word], WEIGHTS[word]][at]
    printed = [""] * 4 if each is None else _printed(each)
    expect(widget.locator(".number span")).to_have_text(printed)
    has_room = widget.bounding_box()["width"] > 540  # else three numbers stand in no row
    gets = OUTPUT[word] if step == "mix" and has_room else []
    ends = [f"{NAMES[word]} asks", *_printed(QUERY[word]), f"{NAMES[word]} gets", *_printed(gets)]
    told = widget.locator(".flow :is(.who, .under:not(.names))")
    expect(told).to_have_text(ends)  # in the order of reading
    if widget.bounding_box()["width"] > 860:
        features = ["someone", "thing", *(["someone", "doing", "thing"] if step == "mix" else [])]
        expect(widget.locator(".flow .names")).to_have_text(features)
    _ribbons(widget, step, word)
    closer = widget.get_by_role("group", name=f"{NAMES[word]} looks at {NAMES[near]}", exact=True)
    told = _told(word, near)
    expect(closer.locator("dd")).to_have_text([*told[: at + 1], *FORMULAS[at:]])


def table(widget, step, word):
    """Expect every number of a word's step, computed here."""
    query, names = QUERY[word], [[name] for name in NAMES]
    products = query * KEY
    exps = np.exp(_scores(word) - _scores(word).max())
    columns = {
        "project": [KEY, VALUE],
        "score": [products, products.sum(axis=1)[:, None]],
        "scale": [(KEY @ query)[:, None], _scores(word)[:, None]],
        "softmax": [_scores(word)[:, None], exps[:, None], WEIGHTS[word][:, None]],
        "mix": [WEIGHTS[word][:, None], WEIGHTS[word][:, None] * VALUE],
    }[step]
    rows = [name + _printed(row) for name, row in zip(names, np.hstack(columns), strict=True)]
    who = NAMES[word]
    if step == "project":
        rows = [[f"x of {who}", *_printed(X[word])], [f"query of {who}", *_printed(query)], *rows]
    elif step == "softmax":
        rows.append(["sum", *_printed([exps.sum(), 1])])
        rows.append(["entropy (nats)", *_printed([entropy(WEIGHTS[word])])])
    elif step == "mix":
        rows.append(["output", *_printed(OUTPUT[word])])
    shown = _region(widget, step, word).locator("tbody tr, tfoot tr")
    expect(shown).to_have_count(len(rows))
    expect(shown.get_by_role("rowheader")).to_have_text([name for name, *_ in rows])
    cells = shown.evaluate_all(CELLS)
    assert [" ".join(row).split() for row in cells] == [numbers for _, *numbers in rows]


def _follows(widget, row, role, f, **edited):
    """Expect that weights and output follow a bar as it stands; return its role's numbers."""
    arrays = {"query": QUERY, "key": KEY, "value": VALUE} | edited
    x = float(_bar(widget, role, row, f).get_attribute("aria-valuenow"))
    arrays[role] = _with(arrays[role], (row, f), x)
    expect(_field(widget, role, row, f)).to_have_value(f"{x:g}")
    asks = _chosen(_words(widget))
    weights = attention_weights(arrays["query"], arrays["key"])[asks]
    expect(widget.locator(".number span")).to_have_text(_printed(weights))
    output = attention(**arrays)[asks]
    if _step(widget, "mix").is_checked():
        expect(widget.locator(".closer dd").last).to_contain_text(f"output {_listed(output)}")
    return arrays[role]


def _with(array, place, x):
    changed = array.copy()
    changed[place] = x
    return changed


def _ribbons(widget, step, word):
    """Expect that ribbons are as wide as the weights, from softmax on, and lead home in mix."""
    for role, first in (("query", 3), ("key", 3), ("value", 4)):
        if STEPS.index(step) >= first:
            paths = widget.locator(f".ribbon.{role}").evaluate_all(
                "(paths) => paths.map((path) => path.getAttribute('d'))"
            )
            widths = [_width(path) for path in paths]
            assert np.allclose(widths, np.maximum(46 * WEIGHTS[word], 0.3), atol=0.02), role


def _width(path):
    """Return how wide a ribbon is where it begins: its last corner less its first."""
    return float(path.rstrip("Z").split()[-1]) - float(path.split("C")[0].split()[1])


def _told(word, near):
    query, key, value = QUERY[word], KEY[near], VALUE[near]
    product, score, weight = query @ key, _scores(word)[near], WEIGHTS[word, near]
    top = _scores(word).max()
    exps = np.exp(_scores(word) - top)
    terms = " + ".join(f"{q} × {k}" for q, k in zip(_printed(query), _printed(key), strict=True))
    (dot, score, top), (exp, total) = (
        _printed([product, score, top]),
        _printed([exps[near], exps.sum()]),
    )
    part, (share,) = weight * value, _printed([weight])
    return [
        f"key {_listed(key)}, value {_listed(value)}",
        f"query · key = {terms} = {dot}",
        f"{dot} ÷ √2 = {dot} ÷ 1.414 = {score}",
        f"exp({score} − largest {top}) ÷ sum = {exp} ÷ {total} = {share}",
        f"{share} × value = {_listed(part)}, one part of the output {_listed(OUTPUT[word])}",
    ]


def _scores(word):
    return attention_scores(QUERY, KEY)[word]


def _printed(numbers):
    texts = [f"{round(float(x), 9) + 0.0:.2f}" for x in numbers]
    return [x.replace("-0.00", "0.00").replace("-", "−") for x in texts]


def _listed(numbers):
    return f"({', '.join(_printed(numbers))})"


def _step(widget, step):
    return widget.get_by_role("radio", name=f"{STEPS.index(step) + 1} {step}")


def _words(widget):
    return widget.get_by_role("group", name="the word that asks").get_by_role("radio")


def _word(widget, word):
    return _words(widget).nth(word)


def _rows(widget):
    return widget.get_by_role("group", name="look closer at").get_by_role("radio")


def _row(widget, near):
    return _rows(widget).nth(near)


def _chosen(radios):
    return [radios.nth(i).is_checked() for i in range(len(NAMES))].index(True)


def _bar(widget, role, row, f):
    feature = ({"value": ["someone", "doing", "thing"]}.get(role) or ["someone", "thing"])[f]
    return widget.get_by_role("slider", name=f"{role} of {NAMES[row]}, {feature}", exact=True)


def _field(widget, role, row, f):
    name = f"number {f + 1} of the {role} of {NAMES[row]}"
    return widget.get_by_role("spinbutton", name=name, exact=True)


def _back(widget):
    return _button(widget, "as the matrices say")


def _moment(widget, title):
    return widget.get_by_role("button", name=title)


def _button(widget, name):
    return widget.get_by_role("button", name=name, exact=True)


def _all(widget):
    return widget.get_by_role("checkbox", name="all numbers")


def _region(widget, step, word):
    return widget.get_by_role("region", name=f"{step}: all numbers of {NAMES[word]}", exact=True)


def _rest(page, widget):
    """Take the pointer out of the picture."""
    _button(widget, "Back").hover(force=True)


def _drag(page, widget, start, *over):
    """Press a word and draw the pointer over others, each in turn; let go on the last."""
    _word(widget, start).hover()
    page.mouse.down()
    for word in over:
        _word(widget, word).hover()
        expect(_word(widget, word)).to_be_checked()
    page.mouse.up()
    _rest(page, widget)


def _drag_bar(page, bar, up):
    """Drag a bar by so many pixels."""
    x, y = spot(bar)
    drag(page, (x, y), (x, y - up), steps=2)
    expect(bar).to_be_focused()


def _on_ribbon(widget, near):
    """Where on the page a ribbon leads from a value to the output; it leaves straight across."""
    box = widget.locator("g[data-row] .hit").nth(near).bounding_box()
    return box["x"] + box["width"] + 4, box["y"] + box["height"] / 2

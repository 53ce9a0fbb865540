"""What a reader sees of `attnlib.mine`: what is kept, what runs, and which sentence says so."""

import inspect
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import attnlib
from attnlib import mine
from attnlib.checks import find
from attnlib.checks.engine import examine
from attnlib.mine.memory import alone
from attnlib.mine.trial import Verdict

DOT = "def dot_product(a, b):\n    return (a * b).sum()\n"
OTHER = "def dot_product(a, b):\n    return a @ b\n"
STABLE = "def stable(x):\n    return x - x.max(axis=-1, keepdims=True)\n"
SOFTMAX = """
def softmax(scores):
    e = np.exp(stable(scores))
    return e / e.sum(axis=-1, keepdims=True)
"""


def behind(name):
    return mine._found(name)[0]


def test_a_kept_function_runs_from_then_on(folder, written, capsys):
    a, b = np.arange(3.0), np.ones(3)
    assert [mine.dot_product(a, b) for _ in range(3)] == [3, 3, 3]  # said once which one it was
    mine.keep("dot_product", written(DOT)["dot_product"])
    assert [mine.dot_product(a, b) for _ in range(3)] == [3, 3, 3]
    assert capsys.readouterr().out.splitlines() == [
        "mine.dot_product: the reference, until you keep one of your own.",
        "Kept in mine.py: your dot_product. From now on mine.dot_product runs it.",
        "mine.dot_product: yours.",
    ]
    assert behind("dot_product").__code__.co_filename == str(folder / "mine.py")


def test_in_a_check_whose_function_runs_is_said_to_nobody_and_at_the_next_call(folder, capsys):
    def wrong(query, key, value):
        return mine.softmax(query @ key.swapaxes(-1, -2)) @ value

    text = str(examine(find("attention"), wrong))
    assert "printed" not in text
    assert "mine.softmax" not in text
    assert capsys.readouterr().out == ""
    mine.softmax(np.ones(2))
    assert "mine.softmax: the reference" in capsys.readouterr().out


def test_to_look_at_a_name_runs_nothing(folder, capsys):
    """As completion, help and pickle do with all of them."""
    (folder / "mine.py").write_text(
        f"def dot_product(a, b):\n    open({str(folder / 'ran')!r}, 'w')\n"
    )
    members = dict(inspect.getmembers(mine))
    given = members["dot_product"]
    assert list(inspect.signature(given).parameters) == ["a", "b"]
    assert pickle.loads(pickle.dumps(given)) is given
    assert capsys.readouterr().out == ""
    assert not (folder / "ran").exists()


def test_who_asks_hears_it_again_and_nobody_else(folder, capsys):
    mine.whose("softmax", "rotate")
    mine.whose("softmax")
    assert mine.rotate(np.ones((2, 4)), np.arange(2)).shape == (2, 4)
    assert capsys.readouterr().out.count("\n") == 3


def test_the_file_reads_as_if_written_by_hand(folder, written):
    names = written(STABLE + SOFTMAX)
    mine.keep("softmax", names["softmax"], names["stable"])
    title, _, rest = (folder / "mine.py").read_text().partition("\n")
    assert title.startswith('"""What I wrote')
    assert rest == "\nimport numpy as np\n\n\n" + STABLE + "\n" + SOFTMAX


def test_a_forgotten_input_is_told_by_the_exercises_name(folder):
    with pytest.raises(TypeError, match=r"softmax\(\) missing 1 required .* 'scores'"):
        mine.softmax()


def test_a_newer_version_replaces_the_older_and_says_so(folder, written, capsys):
    for source in (DOT, OTHER, OTHER):
        mine.keep("dot_product", written(source)["dot_product"])
    assert capsys.readouterr().out.splitlines()[1:] == [
        "Kept in mine.py: your new dot_product replaces the older one. From now on "
        "mine.dot_product runs it.",
        "mine.py has this dot_product already.",
    ]
    text = (folder / "mine.py").read_text()
    assert OTHER in text
    assert DOT not in text


def test_what_does_not_pass_is_shown_and_not_kept(folder, written, capsys):
    mine.keep("dot_product", written("def dot_product(a, b):\n    return a * b\n")["dot_product"])
    said = capsys.readouterr().out
    assert "dot_product: not right yet." in said
    assert said.endswith("Not kept: mine.py takes only what passes its check.\n")
    assert not (folder / "mine.py").exists()


def test_what_passes_in_the_notebook_alone_is_not_kept(folder, written, capsys):
    source = "def dot_product(a, b):\n    return (a * b).sum() if __name__ == '__main__' else 0\n"
    mine.keep("dot_product", written(source)["dot_product"])
    assert "in a file of its own it does not pass" in capsys.readouterr().out
    assert not (folder / "mine.py").exists()


def test_a_new_version_must_not_break_what_calls_it(folder, written, capsys):
    attend = "def attention(query, key, value):\n    return helped(query, key, value)\n"
    good = "def helped(q, k, v):\n    return attnlib.attention(q, k, v)\n"
    names = written(good + attend, attnlib=attnlib)
    mine.keep("attention", names["attention"], names["helped"])
    before = (folder / "mine.py").read_text()
    worse = "def helped(a, b, c=None):\n    return (a * b).sum() if c is None else a\n"
    names = written(worse + "def dot_product(a, b):\n    return helped(a, b)\n")
    mine.keep("dot_product", names["dot_product"], names["helped"])
    assert "your attention in mine.py would fail with it" in capsys.readouterr().out
    assert (folder / "mine.py").read_text() == before


def test_an_exercise_that_it_calls_is_taken_from_the_file(folder, written, capsys):
    attend = """
    def attention(query, key, value):
        return softmax(query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-1])) @ value
    """
    names = written(STABLE + SOFTMAX + textwrap.dedent(attend))
    mine.keep("attention", names["attention"])
    assert 'Keep that first: `mine.keep("softmax", softmax)`.' in capsys.readouterr().out
    mine.keep("softmax", names["softmax"], names["stable"])
    mine.keep("attention", names["attention"])
    assert behind("attention").__globals__["softmax"].__code__.co_filename.endswith("mine.py")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"def softmax(:\n", "mine.py cannot be read: "),
        (b"x = '\0'\n", "mine.py cannot be read: "),
        (b"# caf\xe9\n", "mine.py holds bytes that are no text in UTF-8"),
    ],
)
def test_a_broken_file_is_told_and_left_as_it_is(folder, written, capsys, data, told):
    (folder / "mine.py").write_bytes(data)
    assert mine.softmax(np.zeros(2)).tolist() == [0.5, 0.5]
    mine.keep("dot_product", written(DOT)["dot_product"])
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("mine.softmax: the reference, because mine.py cannot be read: ")
    assert told in first
    assert second.startswith(f"Not kept: {told}")
    assert (folder / "mine.py").read_bytes() == data


def test_what_no_longer_passes_gives_way_to_the_reference(folder, capsys):
    (folder / "mine.py").write_text("def dot_product(a, b):\n    return a * b\n")
    assert mine.dot_product(np.arange(3.0), np.ones(3)) == 3
    said = capsys.readouterr().out
    assert said.startswith(
        "mine.dot_product: the reference, because yours in mine.py does not pass."
    )


def test_nothing_in_the_file_runs_but_what_is_asked_for(folder, capsys):
    trap = f"open({str(folder / 'ran')!r}, 'w')\nwhile True: pass\n"
    (folder / "mine.py").write_text(trap + DOT + "def softmax(scores):\n" + f"    {trap[:-1]}\n")
    assert mine.dot_product(np.arange(3.0), np.ones(3)) == 3
    assert capsys.readouterr().out == "mine.dot_product: yours.\n"
    attnlib.check("softmax", lambda scores: scores)
    assert not (folder / "ran").exists()


def test_a_change_by_hand_is_seen(folder, capsys):
    for source in (DOT, OTHER):
        (folder / "mine.py").write_text(source)
        assert ("sum" in behind("dot_product").__code__.co_names) == (source is DOT)


def test_lists_become_arrays_as_in_the_check(folder, written):
    mask = "[[j <= i for j in range(n_keys)] for i in range(n_queries)]"
    source = f"def causal_mask(n_queries, n_keys):\n    return {mask}\n"
    mine.keep("causal_mask", written(source)["causal_mask"])
    assert np.array_equal(~mine.causal_mask(2, 3), [[False, True, True], [False, False, True]])
    source = "def project_qkv(x, *w):\n    return ((x @ m).tolist() for m in w)\n"
    mine.keep("project_qkv", written(source)["project_qkv"])
    query, _, value = mine.project_qkv(np.ones((2, 3)), *np.ones((3, 3, 4)))
    assert query.shape == value.shape == (2, 4)


STEP = """
def clipped_step(model, grads, rate, longest):
    length = np.sqrt(sum(np.sum(grad**2) for grad in grads.values()))
    factor = longest / length if length > longest else 1
    after = dict(model)
    for name, grad in grads.items():
        after[name] = (model[name] - rate * factor * grad).tolist()
    return after
"""


def test_a_step_over_a_dictionary_is_kept_and_its_lists_become_arrays(folder, written):
    mine.keep("clipped_step", written(STEP)["clipped_step"])
    model = {"w": np.ones(2), "frozen": np.zeros(3)}
    after = mine.clipped_step(model, {"w": np.array([3.0, 4.0])}, 1.0, 0.5)
    assert behind("clipped_step").__code__.co_filename == str(folder / "mine.py")
    assert [*after] == [*model]
    np.testing.assert_allclose(after["w"] - [0.7, 0.6], 0, atol=1e-12)
    assert after["frozen"] is model["frozen"]


def test_a_slow_one_is_told_before_a_long_cell(folder, capsys, monkeypatch):
    (folder / "mine.py").write_text(DOT)
    monkeypatch.setattr(mine, "verdict", lambda *_: Verdict(True, times=41.6))
    assert mine.dot_product(np.arange(3.0), np.ones(3)) == 3
    assert "mine.dot_product: yours, 42 times as slow as the reference" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(
    folder, written, capsys, monkeypatch
):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.write_bytes", refuse)
    mine.keep("dot_product", written(DOT)["dot_product"])
    assert capsys.readouterr().out == (
        "Not kept: mine.py cannot be written here (Permission denied). The lessons go on with the "
        "reference.\n"
    )


def test_what_another_lesson_keeps_meanwhile_is_not_lost(folder, written, monkeypatch):
    trial = mine.tried

    def meanwhile(name, part):
        monkeypatch.setattr(mine, "tried", trial)
        (folder / "mine.py").write_text("def projection(a, onto):\n    return a\n")
        return trial(name, part)

    monkeypatch.setattr(mine, "tried", meanwhile)
    mine.keep("dot_product", written(DOT)["dot_product"])
    text = (folder / "mine.py").read_text()
    assert "def projection" in text
    assert "def dot_product" in text


def test_where_nobodys_own_shall_run_none_does(folder, written, monkeypatch, capsys):
    (folder / "mine.py").write_text(DOT)
    monkeypatch.setenv("ATTNLIB_MINE", "")
    assert behind("dot_product").__code__.co_filename != str(folder / "mine.py")
    mine.keep("dot_product", written(OTHER)["dot_product"])
    assert capsys.readouterr().out.endswith("so nothing is kept here.\n")
    assert (folder / "mine.py").read_text() == DOT


def test_the_file_is_looked_for_beside_the_notebook(folder, monkeypatch):
    monkeypatch.delenv("ATTNLIB_MINE")
    monkeypatch.chdir(folder)
    (folder / "mine.py").write_text(DOT)
    assert behind("dot_product").__code__.co_filename == str(folder / "mine.py")


def test_what_no_exercise_asks_for_is_attnlibs(folder):
    assert "softmax" in dir(mine)
    assert "keep" in dir(mine)
    with pytest.raises(AttributeError, match="no exercise is called 'alibi_bias'"):
        _ = mine.alibi_bias
    with pytest.raises(ValueError, match="is looked up by its name"):
        mine.keep("alibi_bias", attnlib.alibi_bias)


def test_importing_attnlib_and_checking_load_nothing_of_it():
    attnlib.check("softmax", attnlib.softmax)
    code = "import sys, attnlib; attnlib.check; print('attnlib.mine' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_two_lessons_write_one_after_the_other(folder):
    code = "import pathlib\nfrom attnlib.mine.memory import alone\nwith alone(pathlib.Path('.')):\n"
    code += "    print('mine', flush=True); input(); pathlib.Path('ended').touch()"
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    seen = []

    def wait():
        with alone(folder):
            seen.append((folder / "ended").exists())

    with subprocess.Popen([sys.executable, "-c", code], cwd=folder, text=True, **pipes) as other:
        assert other.stdout.readline() == "mine\n"
        waiting = threading.Thread(target=wait)
        waiting.start()
        other.communicate("\n")
        waiting.join()
    assert seen == [True]


@pytest.mark.needs("posix")  # on Windows not everybody may make a link
def test_a_link_to_the_file_stays_one(folder, written, tmp_path_factory):
    away = tmp_path_factory.mktemp("away") / "all.py"
    away.write_text("# mine\r\n", newline="")
    (folder / "mine.py").symlink_to(away)
    mine.keep("dot_product", written(DOT)["dot_product"])
    assert (folder / "mine.py").is_symlink()
    assert away.read_bytes().startswith(b'"""What I wrote')
    assert b"\r" not in away.read_bytes()


OLD = """
def attention_backward(grad_output, query, key, value):
    weights = softmax(query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]))
    grad_weights = grad_output @ value.swapaxes(-1, -2)
    grad_scores = weights * (grad_weights - (weights * grad_weights).sum(axis=-1, keepdims=True))
    grad_scores = grad_scores / np.sqrt(query.shape[-1])
    to_key = grad_scores.swapaxes(-1, -2)
    return grad_scores @ key, to_key @ query, weights.swapaxes(-1, -2) @ grad_output
"""


def test_one_of_an_earlier_form_is_kept_and_called_with_a_mask(folder, written, capsys):
    names = written(STABLE + SOFTMAX + OLD)
    mine.keep("softmax", names["softmax"], names["stable"])
    mine.keep("attention_backward", names["attention_backward"])
    given = [np.random.default_rng(0).normal(size=shape) for shape in ((3, 2), (3, 5), (7, 5))]
    value, some = np.ones((7, 2)), np.arange(7) < 4
    for mask in (np.ones((1, 7), bool), some[None]):
        due = attnlib.attention_backward(*given, value, mask=mask)
        for got, right in zip(mine.attention_backward(*given, value, mask), due, strict=True):
            np.testing.assert_allclose(got, right, atol=1e-12)
    assert "mine.attention_backward: yours" in capsys.readouterr().out


def test_a_list_of_strings_stays_a_list(folder):
    vocabulary = {"saw": 0, "##s": 1}
    assert mine.wordpiece("saws", vocabulary) == ["saw", "##s"]
    (folder / "mine.py").write_text(
        "def wordpiece(word, vocabulary):\n    return ('saw', '##s')\n", encoding="utf-8"
    )
    assert mine.wordpiece("saws", vocabulary) == ["saw", "##s"]  # which does not pass its check

import json
import os
import re
import shutil
import socket
import tomllib
from datetime import date
from pathlib import Path

import nbformat
import pytest

from course.lab import __main__ as lab
from tests.server import Server

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def lessons(tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name in ("00_start_here.ipynb", "02_scaling.ipynb"):
        publish(folder / name, "first")
    (folder / "draft.ipynb").write_text("not a lesson")
    return folder


def publish(path, version):
    """Write a lesson that says of which version it is, and shows something."""
    shown = nbformat.v4.new_output("stream", name="stdout", text="shown")
    cells = [
        nbformat.v4.new_markdown_cell(f"as {version} published", id="a"),
        nbformat.v4.new_code_cell("1", outputs=[shown], execution_count=1, id="b"),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def version_of(path):
    return nbformat.read(path, as_version=4).cells[0].source


@pytest.fixture
def copies(tmp_path):
    return tmp_path / "my"


@pytest.fixture
def copied(lessons, copies):
    """Return the folder of copies that have just been made."""
    assert lab.copy_lessons(lessons, copies) == [
        "Copied 2 lessons to my/, yours to change. To reset a lesson, delete its copy."
    ]
    return copies


# The working copy


def test_missing_lessons_are_copied_without_what_they_show(lessons, copied):
    names = sorted(path.name for path in copied.glob("*"))
    assert names == [".lessons.json", "00_start_here.ipynb", "02_scaling.ipynb"]
    for copy in copied.glob("*.ipynb"):
        expected = nbformat.read(lessons / copy.name, as_version=4)
        expected.cells[1] |= {"outputs": [], "execution_count": None}
        expected.metadata.attnlib = {"folded": True}
        assert nbformat.read(copy, as_version=4) == expected
        bare = copy.read_bytes()
        nbformat.write(expected, copy)
        assert copy.read_bytes() == bare  # the form in which a program would save it


def test_a_second_call_changes_and_says_nothing(lessons, copied):
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in copied.iterdir()}
    assert lab.copy_lessons(lessons, copied) == []
    assert {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in copied.iterdir()} == before


def test_work_is_never_overwritten_and_its_age_is_told(lessons, copied):
    (copied / "02_scaling.ipynb").write_text("an evening's work")
    assert lab.copy_lessons(lessons, copied) == []  # editing alone makes no copy old
    publish(lessons / "02_scaling.ipynb", "later")
    (sentence,) = lab.copy_lessons(lessons, copied)
    assert sentence.startswith("my/02_scaling.ipynb was made from an older version of its lesson.")
    assert (copied / "02_scaling.ipynb").read_text() == "an evening's work"


def test_deleting_a_copy_resets_it(lessons, copied):
    publish(lessons / "02_scaling.ipynb", "later")
    (copied / "02_scaling.ipynb").unlink()
    assert lab.copy_lessons(lessons, copied)[0].startswith("Copied 1 lesson to my/")
    assert version_of(copied / "02_scaling.ipynb") == "as later published"
    assert lab.copy_lessons(lessons, copied) == []


@pytest.mark.parametrize("record", [None, "", "[]", "{broken"])
def test_a_copy_without_a_record_is_left_alone(lessons, copies, record):
    copies.mkdir()
    (copies / "00_start_here.ipynb").write_text("made by hand")
    if record is not None:
        (copies / ".lessons.json").write_text(record)
    assert lab.copy_lessons(lessons, copies)[0].startswith("Copied 1 lesson")
    assert lab.copy_lessons(lessons, copies) == []
    assert (copies / "00_start_here.ipynb").read_text() == "made by hand"


def test_a_copy_that_is_cut_short_leaves_no_lesson(lessons, copies, monkeypatch):
    def full(path, data):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space"):
            lab.copy_lessons(lessons, copies)
    assert list(copies.glob("[0-9]*.ipynb")) == []
    lab.copy_lessons(lessons, copies)
    assert version_of(copies / "00_start_here.ipynb") == "as first published"


def test_a_copy_whose_lesson_is_gone_stays_and_is_named(lessons, copied):
    (lessons / "02_scaling.ipynb").rename(lessons / "99_scaling.ipynb")
    new, gone = lab.copy_lessons(lessons, copied)
    assert new.startswith("Copied 1 lesson")
    assert gone.startswith("my/02_scaling.ipynb: the series has no lesson of this name any more.")
    assert version_of(copied / "02_scaling.ipynb") == "as first published"
    (copied / "02_scaling.ipynb").unlink()
    assert lab.copy_lessons(lessons, copied) == []


def test_fresh_moves_away_what_is_of_the_lessons_and_nothing_else(lessons, copies):
    today = date(2026, 11, 23)
    assert lab.set_aside(copies, today) == []
    for folder in ("before-2026-11-23", "before-2026-11-23-2"):
        lab.copy_lessons(lessons, copies)
        for name in ("mine.py", ".mine.json", "notes.txt"):
            (copies / name).write_text(folder)
        moved = {p.name: p.read_bytes() for p in copies.iterdir() if p.is_file()}
        del moved["notes.txt"]
        told = lab.set_aside(copies, today)
        assert told == [f"What you had is in my/{folder}/; you begin anew."]
        assert {p.name: p.read_bytes() for p in (copies / folder).iterdir()} == moved
        assert [p.name for p in copies.iterdir() if p.is_file()] == ["notes.txt"]


def test_fresh_is_asked_for_and_no_server_is_needed_for_copies(
    lessons, copies, monkeypatch, capsys
):
    monkeypatch.setattr(lab, "ROOT", lessons.parent)
    monkeypatch.setattr(lab, "serve", None)
    for options in ([], [], ["--fresh"]):
        assert lab.main(["--copy-only", *options]) == 0
        assert len([*copies.glob("*.ipynb")]) == 2
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told] == ["Copied", "What", "Copied"]


def test_no_lessons_is_told_in_a_sentence(tmp_path):
    with pytest.raises(lab.LabError, match="There are no lessons in notebooks/"):
        lab.copy_lessons(tmp_path / "notebooks", tmp_path / "my")


# The extension


def test_an_older_extension_is_replaced_and_the_same_is_left_alone(tmp_path):
    script = tmp_path / "attnlib" / "static" / "folds.js"
    script.parent.mkdir(parents=True)
    script.write_text("older")
    assert lab.lay_extension(tmp_path) == []
    laid = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    ours = {path.name for path in lab.EXTENSION.rglob("*.*")}
    assert {path.name for path in laid} == {*ours, "widgets.js"}
    assert script.read_bytes() == (lab.EXTENSION / "static" / "folds.js").read_bytes()
    lab.lay_extension(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")} == laid


def test_where_the_extension_cannot_be_written_a_sentence_says_so(tmp_path):
    (tmp_path / "attnlib").write_text("a file where its folder would be")
    (sentence,) = lab.lay_extension(tmp_path)
    assert sentence.startswith("The extension that opens answers could not be written (")


def test_the_extension_has_the_packages_version():
    said = json.loads((lab.EXTENSION / "package.json").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (said["name"], said["version"]) == (project["name"], project["version"])


# The port and the options


@pytest.mark.parametrize("text", ["abc", "0", "-1", "65536", "8888.5", "8 8", "٣٣٣٣", "²"])
def test_a_bad_port_is_told_in_a_sentence(text, capsys):
    assert lab.main(["--port", text] if text[0] != "-" else [f"--port={text}"]) == 1
    said = capsys.readouterr()
    assert said.err == f"PORT must be a number from 1 to 65535, not {text!r}.\n"
    assert said.out == ""


def test_a_busy_port_is_told_in_a_sentence(monkeypatch, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        assert lab.main([]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"Port {port} cannot be used (")
    assert error.count("\n") == 1


def test_what_it_does_not_know_is_handed_on_to_jupyterlab(monkeypatch, tmp_path):
    served = []
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    monkeypatch.setattr(lab, "copy_lessons", lambda *folders: [])
    monkeypatch.setattr(lab, "serve", lambda *given: served.append(given))
    assert lab.main(["--browser", "none", "--LabApp.collaborative=True", "--dev-mode"]) == 0
    assert served == [(tmp_path, None, "none", ["--LabApp.collaborative=True", "--dev-mode"], "")]


def test_options_name_port_and_browser_and_no_port_leaves_the_choice_to_the_server(tmp_path):
    chosen = lab.options(tmp_path, 8901, "none")
    assert f"--ServerApp.root_dir={tmp_path}" in chosen
    assert {"--ServerApp.port=8901", "--ServerApp.port_retries=0"} <= set(chosen)
    assert "--ServerApp.open_browser=False" in chosen
    chosen = lab.options(tmp_path, None, "firefox")
    assert "--ServerApp.browser=firefox" in chosen
    assert not [option for option in chosen if option.startswith("--ServerApp.port")]
    assert lab.parse_port(None) is lab.parse_port("") is None


# Another language


@pytest.fixture
def zh(tmp_path, lessons, monkeypatch, capsys):
    """Return what has been served of an edition."""
    served = []
    (lessons / "zh").mkdir()
    publish(lessons / "zh" / "00_start_here.ipynb", "zh")
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    monkeypatch.setattr(lab, "lay_extension", lambda folder: [])
    monkeypatch.setattr(lab, "serve", lambda *given: served.append(given))
    monkeypatch.delenv("ATTNLIB_MINE")
    assert lab.main(["--edition", "zh", "--browser", "none"]) == 0
    assert capsys.readouterr().out.startswith("Copied 1 lesson to my/zh/, yours to change.")
    return served


def test_an_edition_has_copies_of_its_own_and_the_one_mine(tmp_path, zh):
    names = [path.name for path in (tmp_path / "my").rglob("*.ipynb")]
    assert names == ["00_start_here.ipynb"]
    assert version_of(tmp_path / "my" / "zh" / "00_start_here.ipynb") == "as zh published"
    assert os.environ["ATTNLIB_MINE"] == str(tmp_path / "my")
    assert zh == [(tmp_path, None, "none", [], "zh")]
    opened = lab.options(tmp_path, None, "none", "zh")
    assert "--LabApp.default_url=/lab/tree/my/zh/00_start_here.ipynb" in opened


def test_a_language_is_known_by_its_folder_and_asked_for_by_its_name_alone(zh, monkeypatch, capsys):
    for name in ("LANG", "LANGUAGE", "EDITION"):
        monkeypatch.setenv(name, "zh")
    assert lab.main(["--copy-only"]) == 0
    assert "to my/, yours" in capsys.readouterr().out.splitlines()[-1]
    with pytest.raises(SystemExit):
        lab.main(["--edition", "fr"])


def test_jupyterlab_speaks_it_where_it_can_and_nobody_chose_otherwise(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    lab.speak("zh", tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(lab, "find_spec", {"jupyterlab_language_pack_zh_CN": True}.get)
    lab.speak("", tmp_path)
    assert list(tmp_path.iterdir()) == []
    lab.speak("zh", tmp_path)
    chosen = tmp_path / lab.TRANSLATION
    assert json.loads(chosen.read_bytes()) == {"locale": "zh_CN"}
    chosen.write_text("{}")
    lab.speak("zh", tmp_path)
    assert chosen.read_text() == "{}"


# The server itself


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server in a copy of this checkout, for a reader whose own settings are all broken."""
    checkout = tmp_path_factory.mktemp("checkout")
    for folder in ("course", "notebooks", "images"):
        shutil.copytree(ROOT / folder, checkout / folder)
    home = tmp_path_factory.mktemp("home")
    for path, text in {
        ".jupyter/jupyter_server_config.py": "raise SystemExit('the reader’s own settings')",
        ".jupyter/jupyter_lab_config.py": "raise SystemExit('the reader’s own settings')",
        ".ipython/profile_default/startup/00.py": "raise SystemExit('the reader’s own start-up')",
        ".local/share/jupyter/kernels/python3/kernel.json": '{"argv": ["false"]}',
    }.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    other = tmp_path_factory.mktemp("another Python's packages")
    (other / "numpy.py").write_text("raise ImportError('built for another Python')")
    before = sorted(home.rglob("*"))
    server = Server(checkout, home, JUPYTER_TOKEN="theirs", PYTHONPATH=other)
    yield server
    assert server.stop() == 0, server.words()
    assert f"/lab/tree/my/00_start_here.ipynb?token={server.token}" in server.words()
    assert server.token != "theirs"
    assert "Traceback" not in server.words()
    assert sorted(home.rglob("*")) == before  # nothing was written into the reader's settings
    server.log.close()


@pytest.mark.full
def test_the_server_offers_lesson_00_and_where_it_links_to(server):
    address = "/lab/tree/my/00_start_here.ipynb"
    assert "<title>JupyterLab</title>" in server.request(address)
    served = json.loads(server.request("/api/contents/my/00_start_here.ipynb"))["content"]
    lesson = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4)
    ids = [cell["id"] for cell in served["cells"]]
    assert [one for one in ids if not one.endswith("-keep")] == [cell.id for cell in lesson.cells]
    assert json.loads(server.request("/api/contents/images"))["type"] == "directory"
    assert f"http://127.0.0.1:{server.port}{address}?token=" in server.words()


def put(server, name, codes):
    """Write a notebook of code cells beside the lessons."""
    cells = [nbformat.v4.new_code_cell(code) for code in codes]
    notebook = nbformat.v4.new_notebook(cells=cells)
    body = {"type": "notebook", "format": "json", "content": notebook}
    server.request(f"/api/contents/my/{name}", body, "PUT")


def setting(server, plugin, name):
    """Return the default of a setting of JupyterLab's."""
    schema = json.loads(server.request(f"/lab/api/settings/@jupyterlab/{plugin}"))["schema"]
    return schema["properties"][name]["default"]


@pytest.mark.full
def test_a_cell_keeps_the_focus_that_is_in_it(server):
    # Elsewhere JupyterLab may skip a cell while somebody moves its widget by keys.
    assert setting(server, "notebook-extension:tracker", "windowingMode") == "none"


@pytest.mark.full
def test_the_page_asks_for_no_news_and_no_updates(server):
    assert setting(server, "apputils-extension:notification", "fetchNews") == "false"
    assert setting(server, "apputils-extension:notification", "checkForUpdates") is False
    assert json.loads(server.request("/lab/api/news"))["news"] == []
    assert json.loads(server.request("/lab/api/update"))["notification"] is None
    _, _, page = server.request("/lab").partition(
        'id="jupyter-config-data" type="application/json">'
    )
    config = json.loads(page.partition("<")[0])
    assert config["news"] == {"disabled": True}
    assert config["extensionManager"]["can_install"] is False


# That every lesson runs is told by its rebuild; here it is the server that is tried.
@pytest.mark.full
@pytest.mark.parametrize("lesson", ["00_start_here", "04_self_attention"])
def test_a_lesson_runs_top_to_bottom_through_the_server(server, lesson):
    assert server.run(f"{lesson}.ipynb") == []


@pytest.mark.full
def test_what_attnlib_refuses_is_told_in_a_few_lines(server):
    code = "import attnlib\n\nattnlib.attention([[1.0, 2.0]], [[1.0]], [[1.0]])"
    put(server, "refused.ipynb", [code])
    (told,) = server.run("refused.ipynb")
    assert "----> 3" in re.sub(r"\x1b\[[0-9;]*m", "", told)
    assert "query and key must share d_key" in told
    assert len(told.splitlines()) <= 8


@pytest.mark.full
def test_an_error_in_a_lesson_would_be_seen(server):
    put(server, "broken.ipynb", ["import attnlib", "1 / 0", "x = 1", "y"])
    zero, name = server.run("broken.ipynb")
    assert "ZeroDivisionError" in zero
    assert "NameError" in name

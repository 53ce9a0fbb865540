# Thin on purpose: Python does the work. On Windows type the same lines by hand; docs/learn.md has them.
PYTHON ?= python3
UPGRADE ?= --upgrade
# -I: what PYTHONPATH and its like say is for another Python.
IN_VENV := .venv/bin/python -I -m
in_edition := $(if $(EDITION),--edition $(EDITION))

.PHONY: environment environment-lab lab test engines notebooks html slides site homework widgets bench lock clean

environment: packages := whole
environment-lab: packages := $(if $(MODEL),model)
environment environment-lab:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "$(PYTHON) was not found: install Python 3.11 or newer, or say where: make PYTHON=…"; exit 1; }
	@$(PYTHON) -I course/environment.py $(packages)

# PORT=9999 chooses the port, BROWSER=none opens no browser, MODEL=1 brings a real encoder,
# EDITION=zh has the lessons in Chinese
lab: environment-lab
	@$(IN_VENV) course lab $(in_edition)

number = $(firstword $(subst _, ,$(LESSON)))
of_lesson = $(if $(wildcard notebooks/src/$(number)_*.md),,$(error there is no lesson $(LESSON): the number has \
  two digits, as in LESSON=04)) --full --nbval -k "$(number)_ or left_open or stands_in_one or ruff" \
  $(wildcard notebooks/$(number)_*.ipynb) tests/test_style.py \
  $(addprefix tests/test_,answers.py editions.py folds.py html.py images.py marks.py new.py notebooks.py slides.py) \
  tests/browser/test_static_page.py

test: environment     # what a change needs; LESSON=04 what one lesson needs; FULL=1 what CI runs; WEEKLY=1 all
	@$(IN_VENV) pytest -n auto --max-worker-restart 0 $(if $(FULL)$(WEEKLY),--full --nbval) \
	  $(if $(WEEKLY),--weekly) $(if $(LESSON),$(of_lesson))

engines: environment  # decks, pages and widgets in Firefox and WebKitGTK; twenty minutes at most
	@$(IN_VENV) pytest -n 2 --full --session-timeout 1200 tests/engines

notebooks: environment
	@$(IN_VENV) course build

html: environment      # the lessons as pages that need neither kernel nor network; EDITION=zh in Chinese
	@$(IN_VENV) course html $(in_edition)

slides: environment    # the lessons as decks, one file each; PDF=1 prints handouts as well; EDITION=zh too
	@$(IN_VENV) course slides $(in_edition) $(if $(PDF),--pdf)

site: slides           # the web site; PDF=1 puts handouts into it, MODEL=1 a real encoder (32 MB)
	@$(IN_VENV) course site $(if $(REPOSITORY),--repository $(REPOSITORY)) \
	  $(if $(ADDRESS),--address $(ADDRESS)) $(if $(MODEL),--model)

homework: environment  # assignments of their sheets; SOURCE=dir makes your own, HINTS=3 shows more hints
	@$(IN_VENV) course homework $(if $(SOURCE),--source $(SOURCE)) $(if $(HINTS),--hints $(HINTS))

widgets:              # needs npm; the rest of the repository does not
	cd attnlib/widgets/src && npm ci --silent && npm run --silent build

bench: environment
	@$(IN_VENV) experiments.benchmarks.bench_attention
	@$(IN_VENV) experiments.benchmarks.bench_tiles --picture build/bench_tiles.png
	@$(IN_VENV) experiments.benchmarks.bench_widgets
	@$(IN_VENV) experiments.benchmarks.bench_frames
	@$(IN_VENV) experiments.benchmarks.bench_slides

compile = @$(IN_VENV) uv pip compile pyproject.toml --group setup --extra lab --universal \
  --python-version 3.11 --fork-strategy fewest --generate-hashes --no-annotate --no-header \
  --no-emit-index-url --quiet

lock: environment     # UPGRADE= keeps the versions; what lessons need is a part of the whole
	$(compile) --extra build --extra test --output-file requirements.lock $(UPGRADE)
	@cp requirements.lock requirements-lab.lock
	$(compile) --constraints requirements.lock --output-file requirements-lab.lock

clean:                # not my/: those are the learner's
	rm -rf .venv .venv.lock build dist .pytest_cache .ruff_cache .hypothesis

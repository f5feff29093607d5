# Every target makes .venv ready for itself first (tools/setup_env.py); nothing is installed twice.
# On Windows without make: python tools/setup_env.py test, python tools/lab.py, and so on.

ifeq ($(OS),Windows_NT)
VENV_PYTHON := .venv/Scripts/python.exe
else
VENV_PYTHON := .venv/bin/python
endif

# Compiled files may be written: uv leaves that to the first import, and without them each kernel would do it anew.
unexport PYTHONDONTWRITEBYTECODE

# $(call ready,TASK) finds a Python and makes .venv ready for TASK: lab, test, author or bench.
ready = python=$$($(SHELL) tools/find_python.sh) && "$$python" tools/setup_env.py $(1)

.DEFAULT_GOAL := help
.PHONY: help lab reset test test-all test-browser notebooks student class report handout slides films site site-serve plant bench bench-sliders lint clean

help:  ## show this list
	@echo "make lab opens the course. All targets:"
	@while IFS= read -r line; do \
	    case "$$line" in \
	        [a-z]*:*"## "*) printf '  %-14s %s\n' "$${line%%:*}" "$${line#*## }" ;; \
	    esac; \
	done < Makefile

lab:  ## open the course in JupyterLab (PORT=8890 to choose the port; PROGRESS=progress.json: with what a page saved)
	@python=$$($(SHELL) tools/find_python.sh) && "$$python" tools/lab.py $(if $(PORT),--port "$(PORT)") $(if $(PROGRESS),--progress "$(PROGRESS)")

reset:  ## a fresh copy of a chapter; yours is put aside (CHAPTER=2)
	@python=$$($(SHELL) tools/find_python.sh) && "$$python" tools/copies.py --reset "$(CHAPTER)"

test:  ## unit tests, every notebook's outputs, and a browser smoke test (PYTEST_ARGS="-k trees" to choose)
	@$(call ready,test) && $(VENV_PYTHON) tools/run_tests.py unit notebooks smoke -- $(PYTEST_ARGS)

test-all:  ## everything: also slow tests, an old processor's arithmetic, and every notebook in a browser
	@$(call ready,test) && $(VENV_PYTHON) tools/run_tests.py unit notebooks slow oldest chapters site browser -- $(PYTEST_ARGS)

test-browser:  ## run every notebook in a real browser and move every slider
	@$(call ready,test) && $(VENV_PYTHON) tools/run_tests.py chapters site browser -- $(PYTEST_ARGS)

notebooks:  ## build the notebooks whose source changed (ARGS="--force 07" to choose)
	@$(call ready,author) && $(VENV_PYTHON) tools/build_notebooks.py $(ARGS)

student:  ## write copies without solutions to student/
	@$(call ready,author) && $(VENV_PYTHON) tools/make_student.py $(ARGS)

class:  ## write class.zip: the course for students, without solutions
	@$(call ready,author) && $(VENV_PYTHON) tools/make_class.py $(ARGS)

report:  ## who solved what, from what was handed in (FOLDER=submissions ARGS="--roster class.csv")
	@$(call ready,lab) && $(VENV_PYTHON) tools/report.py "$(FOLDER)" $(ARGS)

handout:  ## write handout/*.html: pages to read or to print, without a network (ARGS=07; ARGS="--short 07": few pages)
	@$(call ready,author) && $(VENV_PYTHON) tools/handout.py $(ARGS)

slides:  ## write slides/*.html: each chapter as slides, without a network (ARGS=07 to choose)
	@$(call ready,author) && $(VENV_PYTHON) tools/slides.py $(ARGS)

films:  ## write films/*.webp: each chapter's best picture as it moves (ARGS=15 to choose; ARGS=--readme)
	@$(call ready,author) && $(VENV_PYTHON) tools/films.py $(ARGS)

site:  ## write site/: live pages for any web server (ARGS="02 15" to choose; PYODIDE=folder)
	@$(call ready,author) && $(if $(PYODIDE),PYODIDE="$(PYODIDE)") $(VENV_PYTHON) tools/web/build.py $(ARGS)

site-serve:  ## show site/ on this machine (PORT=8765; HOST=0.0.0.0 shows it to the room)
	@python=$$($(SHELL) tools/find_python.sh) && "$$python" tools/web/serve.py $(if $(PORT),--port "$(PORT)") $(if $(HOST),--host "$(HOST)")

plant:  ## plant wrong formulas and see the checks notice them (ARGS="--chapter 3")
	@$(call ready,author) && $(VENV_PYTHON) tools/plant.py $(ARGS)

bench:  ## speed against scikit-learn
	@$(call ready,bench) && $(VENV_PYTHON) -m benchmarks.run $(ARGS)

bench-sliders:  ## time from a slider's move to the new picture
	@$(call ready,bench) && $(VENV_PYTHON) -m benchmarks.sliders $(ARGS)

lint:  ## style and likely bugs (ruff)
	@$(call ready,test) && $(VENV_PYTHON) -m ruff check . $(ARGS)

clean:  ## remove caches and test artifacts; .venv, my/ and student/ stay (remove them by hand)
	@rm -rf build dist .pytest_cache .ruff_cache .hypothesis .coverage tests/browser/artifacts
	@find . \( -path ./.venv -o -path ./my \) -prune -o -type d \( -name __pycache__ -o -name .ipynb_checkpoints \) -exec rm -rf {} +

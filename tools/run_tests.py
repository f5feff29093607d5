"""Runs the tests in stages, and says how long each took and whether it really ran.

    python tools/run_tests.py [unit] [notebooks] [smoke] [slow] [oldest] [chapters] [site] [browser]
                              [-- pytest arguments]

unit       the tests of mlcore, of the house and of the notebooks as files
notebooks  every notebook run from top to bottom, its outputs compared with the committed ones (nbval), its explorers
           swept, all controls together
smoke      one notebook in JupyterLab in a headless browser
slow       the tests that take long: many random seeds, very large problems, every setting of every estimator
oldest     the numerical tests and the notebooks as on an old processor, whose results differ in the last digits; in the
           sweeps each control also moves alone
chapters   every notebook in that browser, every slider moved; points, keys, pages; four notebooks in Firefox and WebKit
site       the whole site built, with few frames; every page of it in that browser, in Firefox and in WebKit
browser    in that browser what watches how quickly a page answers, one test after the other

Without a browser `smoke` and the last three do not run, which is said loudly; it is a failure for those three, and for
all if MLCORE_REQUIRE_BROWSER is set, as it is in CI.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
NOTHING_COLLECTED = 5  # pytest's exit code
WORKERS = ("-n", str(max(2, os.cpu_count() or 1)))
NBVAL = ("-p", "tests.sweeping", "--nbval", "--nbval-current-env", "notebooks", *WORKERS, "--dist", "loadfile")
IN_A_BROWSER = ("smoke", "chapters", "site", "browser")
QUICK = [f"tests/browser/test_{name}.py" for name in ("busy", "motion", "screens", "widgets")]
WHOLE_SITE = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/browser/test_site*.py"))[::-1]
"""The pages of the chapters, which processes share best, come last."""
SHARED = ("chapters", "site")
"""Stages that processes share: whole files, or whole notebooks, since their tests share what they have opened."""
PROCESSES = 1 + (os.cpu_count() or 1)
"""So many: who waits for a browser's answer leaves the processor to another."""
NOT_NUMERICAL = ("browser", "tools", "classroom", "test_house.py", "test_notebooks.py")
OLD_PROCESSOR = {  # the kernels of OpenBLAS and of NumPy for a processor of 2008
    "OPENBLAS_CORETYPE": "NEHALEM",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}


def has_browser() -> bool:
    """Whether a browser is on the PATH, or one of Playwright's own is installed."""
    if any(shutil.which(name) for name in BROWSERS):
        return True
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


def environment(stage: str = "unit") -> dict:
    """Return the environment for tests: this checkout's mlcore, and one thread for each of the workers."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    return {**os.environ, **threads, "PYTHONPATH": path, **(OLD_PROCESSOR if stage == "oldest" else {})}


def stage_arguments(stage: str) -> list[str]:
    """Return pytest's arguments for a stage."""
    unit = ["tests", "--ignore=tests/browser", *WORKERS]
    numerical = ["tests", *(f"--ignore=tests/{name}" for name in NOT_NUMERICAL)]
    return {
        "unit": [*unit, "-m", "not slow"],
        "slow": [*unit, "-m", "slow"],
        "notebooks": [*NBVAL],
        "oldest": [*NBVAL, "--every-stop", *numerical, "-m", "not slow"],
        "smoke": ["tests/browser/test_smoke.py"],
        "chapters": ["tests/browser", *(f"--ignore={path}" for path in [*QUICK, *WHOLE_SITE])],
        "site": WHOLE_SITE,
        "browser": QUICK,
    }[stage]


def count_tests(report: Path) -> int:
    """Return how many tests of a JUnit report were executed: those that were not skipped."""
    if not report.exists():
        return 0
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    return sum(int(suite.get("tests")) - int(suite.get("skipped")) for suite in suites)


def run_pytest(stage: str, extra: list[str]) -> tuple[int, int]:
    """Run one stage. Return pytest's exit code and how many tests were executed."""
    count = PROCESSES if stage in SHARED else 1
    with tempfile.TemporaryDirectory() as folder:
        running = [_start(stage, extra, Path(folder), number, count) for number in range(1, count + 1)]
        codes = [process.wait() for process in running]
        for said in sorted(Path(folder).glob("*.txt")):  # the others speak when the first is done
            print(said.read_text(encoding="utf-8", errors="replace"), flush=True)
        executed = sum(count_tests(report) for report in Path(folder).glob("*.xml"))
    wrong = [code for code in codes if code not in (0, NOTHING_COLLECTED)]
    return wrong[0] if wrong else min(codes), executed


def _start(stage: str, extra: list[str], folder: Path, number: int, count: int) -> subprocess.Popen:
    """Start pytest for a stage, or one of the processes that share it: tests/browser/conftest.py says how."""
    arguments = [*stage_arguments(stage), f"--junitxml={folder / str(number)}.xml", *extra]
    shared = {"MLCORE_SHARED": str(folder)} if count > 1 else {}
    said = open(folder / f"{number}.txt", "wb") if number > 1 else None
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env={**environment(stage), **shared}, stdout=said
    )


def verdict(code: int, executed: int, chosen: bool) -> str:
    """Say how a stage went, in a word or more; only "passed" and "nothing chosen" are good.

    That nothing ran is good only where the user chose tests, and none of this stage was among them.
    """
    if code == NOTHING_COLLECTED and chosen:
        return "nothing chosen"
    if code == 0 and executed == 0:
        return "FAILED: no test was executed"
    return "passed" if code == 0 else f"FAILED (pytest's exit code {code})"


def run_stage(stage: str, extra: list[str]) -> tuple[str, bool]:
    """Run one stage, if it can be. Return a line on how it went, and whether that is good."""
    print(f"\n=== {stage} ===", flush=True)
    start = time.monotonic()
    if stage in IN_A_BROWSER and not has_browser():
        needed = stage != "smoke" or bool(os.environ.get("MLCORE_REQUIRE_BROWSER"))
        advice = "install chromium (Debian, Ubuntu: sudo apt install chromium) or run playwright install chromium"
        message = f"{stage:<10} DID NOT RUN: no browser was found; {advice}"
        print(f"{'!' * 78}\n{message}\n{'!' * 78}", flush=True)
        return message, not needed
    if stage == "oldest" and platform.machine().lower() not in ("x86_64", "amd64"):
        return f"{stage:<10} not for this kind of processor ({platform.machine()})", True
    code, executed = run_pytest(stage, extra)
    outcome = verdict(code, executed, bool(extra))
    line = f"{stage:<10} {outcome}, {executed} tests, {time.monotonic() - start:.0f} s"
    return line, not outcome.startswith("FAILED")


def main(arguments: list[str]) -> int:
    """Run the stages named before ``--`` with the pytest arguments after it; sum up at the end."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    stages, extra = arguments[:split] or ["unit", "notebooks", "smoke"], arguments[split + 1 :]
    results = [run_stage(stage, extra) for stage in stages]
    print("\n=== summary ===")
    for line, _ in results:
        print(line)
    return 0 if all(good for _, good in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

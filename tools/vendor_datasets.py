"""Re-create the data files of mlcore/data from the copies that scikit-learn bundles.

    python tools/vendor_datasets.py            compare the stored files with fresh copies and with manifest.json
    python tools/vendor_datasets.py --write    write the files and their SHA-256 anew

For authors only: scikit-learn is needed here and nowhere else in the course. The watermelon tables and the ten
AdaBoost points were typed in by hand, so there is nothing to re-create: only their SHA-256 is compared.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from sklearn import datasets

DATA = Path(__file__).resolve().parents[1] / "mlcore" / "data"
MANIFEST = DATA / "manifest.json"
BUNDLED = {
    "breast_cancer.csv": datasets.load_breast_cancer,
    "diabetes.csv": lambda: datasets.load_diabetes(scaled=False),
    "digits.csv": datasets.load_digits,
    "iris.csv": datasets.load_iris,
    "wine.csv": datasets.load_wine,
}


def shortest(value):
    """Write a number in as few digits as give exactly the same float64 back: 1.5, 13 (not 13.0), 0.006399."""
    return np.format_float_positional(value, trim="-")


def csv_bytes(bunch):
    """Lay a scikit-learn data set out as CSV: a header, then a row a sample, the target last."""
    header = [*map(str, bunch.feature_names), "target"]
    if any("," in name or '"' in name for name in header):
        raise ValueError(f"a column name would need quoting: {header}")
    rows = np.column_stack([bunch.data, bunch.target]).astype(np.float64)
    lines = [",".join(header), *(",".join(map(shortest, row)) for row in rows)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def check(manifest):
    """Return what is wrong: files missing, without an entry, or different from the manifest or from a fresh copy."""
    stored = {path.name: path.read_bytes() for path in DATA.glob("*.csv")}
    faults = [f"{name}: missing" for name in manifest if name not in stored]
    faults += [f"{name}: not in manifest.json" for name in stored if name not in manifest]
    faults += [f"{name}: SHA-256 differs from manifest.json" for name, entry in manifest.items()
               if name in stored and hashlib.sha256(stored[name]).hexdigest() != entry["sha256"]]
    faults += [f"{name}: differs from scikit-learn's copy" for name, load in BUNDLED.items()
               if name in stored and stored[name] != csv_bytes(load())]
    return faults


def write(manifest):
    """Write the bundled files, and the SHA-256 of all files into the manifest (source and licence stay)."""
    for name, load in BUNDLED.items():
        (DATA / name).write_bytes(csv_bytes(load()))
    for name, entry in manifest.items():
        entry["sha256"] = hashlib.sha256((DATA / name).read_bytes()).hexdigest()
    MANIFEST.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser(description="Compare or re-create the data files of mlcore/data.")
    parser.add_argument("--write", action="store_true", help="write the files instead of comparing them")
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    if parser.parse_args().write:
        write(manifest)
    faults = check(manifest)
    print("\n".join(faults) if faults else f"{len(manifest)} files agree with manifest.json and scikit-learn's copies")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

# Prints the Python to use: .venv's own if there is one, else the first on the PATH that is new enough,
# or the one that PYTHON names. If there is none it says so in one line and fails. It is plain POSIX sh with
# builtins alone, so that it works on a machine that has nothing yet:   sh tools/find_python.sh

oldest=11   # of 3.x; pyproject.toml says the same (requires-python)

if [ -n "$PYTHON" ]; then
    set -- "$PYTHON"
else
    set -- .venv/bin/python .venv/Scripts/python.exe python3 python python3.11 python3.12 python3.13 python3.14
fi

newest=0
for name in "$@"; do
    path=$(command -v "$name") || continue
    version=$("$path" -c 'import sys; print("%d %d" % sys.version_info[:2])' 2>/dev/null) || continue
    major=${version% *} minor=${version#* }
    if [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge "$oldest" ]; }; then
        echo "$path"
        exit 0
    fi
    if [ $((major * 1000 + minor)) -gt "$newest" ]; then
        newest=$((major * 1000 + minor)) newest_name="Python $major.$minor ($path)"
    fi
done

advice="install Python 3.$oldest or newer (Debian, Ubuntu: sudo apt install python3 python3-venv; macOS, Windows: python.org)"
if [ "$newest" -gt 0 ]; then
    echo "error: $newest_name is too old: $advice, or name one you have: make ... PYTHON=/path/to/python3" >&2
elif [ -n "$PYTHON" ]; then
    echo "error: PYTHON=$PYTHON cannot be run: name a Python 3.$oldest or newer, or leave PYTHON out" >&2
else
    echo "error: no Python found: $advice, then run make again" >&2
fi
exit 1

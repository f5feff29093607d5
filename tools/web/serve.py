"""Serves the course's site on this machine: make site-serve (PORT=8765 to choose the port).

A copy of this file goes into the archive of the site, beside its pages, and needs nothing but Python.
"""

import argparse
import functools
import gzip
import http.server
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SITE = HERE if (HERE / "index.html").is_file() else HERE.parent.parent / "site"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".webp": "image/webp",
         ".whl": "application/zip", ".pack": "application/octet-stream", ".json": "application/json"}  # fmt: skip
TEXTS = (".html", ".js", ".mjs", ".css", ".json", ".wasm", ".svg", ".ttf")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files as they are; texts compressed, and what lies in a folder named by its contents kept by the browser."""

    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def do_GET(self):  # noqa: N802  the name that http.server calls
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            return self.send_error(404)
        packed = path.suffix in TEXTS and "gzip" in self.headers.get("Accept-Encoding", "")
        data = compressed(path, path.stat().st_mtime) if packed else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        hashed = path.parent != SITE
        self.send_header("Cache-Control", "max-age=31536000, immutable" if hashed else "no-cache")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@functools.lru_cache(maxsize=400)
def compressed(path, changed):
    return gzip.compress(path.read_bytes(), 6)


def server(port=0, folder=SITE):
    """A server of the site on a port of this machine; 0: a free one."""
    handler = functools.partial(Handler, directory=str(folder))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


def main():
    parser = argparse.ArgumentParser(description="Serve site/ on this machine.")
    parser.add_argument("--port", type=int, default=8765)
    if not SITE.is_dir():
        print("error: there is no site/: make site writes it", file=sys.stderr)
        return 1
    with server(parser.parse_args().port) as running:
        print(f"http://127.0.0.1:{running.server_port}/  (Ctrl+C ends it)")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())

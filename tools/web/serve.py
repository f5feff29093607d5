"""Serves the course's site on this machine: make site-serve (PORT=8765 to choose the port).

A copy of this file goes into the archive of the site, beside its pages, and needs nothing but Python.
"""

import argparse
import functools
import gzip
import http.server
import shutil
import socket
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
        path = path / "index.html" if path == Path(self.directory) else path
        if not path.is_file():
            return self.send_error(404)
        packed = path.suffix in TEXTS and "gzip" in self.headers.get("Accept-Encoding", "")
        data = compressed(path, path.stat().st_mtime_ns) if packed else None
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        hashed = path.parent != Path(self.directory)
        self.send_header("Cache-Control", "max-age=31536000, immutable" if hashed else "no-cache")
        self.send_header("Content-Length", str(len(data) if packed else path.stat().st_size))
        self.end_headers()
        if packed:
            self.wfile.write(data)
        else:
            with path.open("rb") as file:
                shutil.copyfileobj(file, self.wfile)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """As many may ask at once as a class has browsers; a browser that goes away is no news."""

    request_queue_size = 256
    allow_reuse_address = sys.platform != "win32"  # there it would let two servers have one port

    def handle_error(self, request, client_address):
        """Say nothing of a browser that has closed the page meanwhile."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@functools.lru_cache(maxsize=400)
def compressed(path, changed):
    """A file, compressed once for each time that it was changed."""
    return gzip.compress(path.read_bytes(), 6)


def server(port=0, folder=SITE, host="127.0.0.1"):
    """A server of the site on a port of this machine, 0: a free one; with host 0.0.0.0 others can see it."""
    handler = functools.partial(Handler, directory=str(folder))
    return Server((host, port), handler)


def main():
    """Read the command line; serve until Ctrl+C."""
    parser = argparse.ArgumentParser(description="Serve the course's site on this machine.")
    parser.add_argument("--port", type=int, default=8765, help="0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other machines see it")
    options = parser.parse_args()
    port, host = options.port, options.host
    if not SITE.is_dir():
        print("error: there is no site/: make site writes it", file=sys.stderr)
        return 1
    try:
        running = server(port, SITE, host)
    except (OSError, OverflowError) as error:
        advice = "choose another, such as --port 8766 (make site-serve PORT=8766)"
        print(f"error: port {port} cannot be had ({error}): {advice}", file=sys.stderr)
        return 1
    with running:
        name = "127.0.0.1" if host == "127.0.0.1" else socket.gethostname()
        print(f"http://{name}:{running.server_port}/  (Ctrl+C ends it)", flush=True)
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Serves a built site on a free port of 127.0.0.1, until Ctrl-C: serve.py SITE."""

import functools
import http.server
import sys


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of each request."""

    def log_message(self, *_):
        pass


class Site(http.server.ThreadingHTTPServer):
    """A server that is not upset by a browser that goes to another page meanwhile."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(folder):
    """A server that listens, and serves once somebody calls `serve_forever`."""
    return Site(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))


def main(folder):
    with server(folder) as site:
        print(f"http://127.0.0.1:{site.server_port}/", flush=True)
        try:
            site.serve_forever()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])

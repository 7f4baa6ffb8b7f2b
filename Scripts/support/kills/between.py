"""A proxy before a server, which holds a refresh at a moment until its client is dead."""

import http.client
import http.server
import json
import threading
import time
import urllib.parse

# The moments at which a client is killed.
START = "at its start"
ARRIVED = "before its request is acted on"
ACTED = "while the answer is on its way"
DELIVERED = "when the answer is there"

# Whatever is held is let go after so many seconds, so that a check that fails ends.
LONGEST = 20
# What is between a client and its next neighbour alone, or is measured anew.
OWN = ("connection", "keep-alive", "transfer-encoding", "content-length")


class Hold:
    """Holds one refresh: `reached` when it is at its moment, `go` lets the proxy go on."""

    def __init__(self, moment):
        self.moment, self.reached, self.go = moment, threading.Event(), threading.Event()

    def wait(self):
        self.reached.set()
        self.go.wait(LONGEST)


class Between:
    """The proxy, on a port of its own."""

    def __init__(self, port):
        self.port, self.holds = port, {}
        # When the server answered each refresh token for the first time.
        self.acted = {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def hold(self, token, moment):
        hold = Hold(moment)
        if moment != START:
            self.holds[token] = hold
        return hold

    def pass_on(self, method, path, fields, body):
        """The server's answer: status, fields and body."""
        upstream = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            upstream.request(method, path, body, {name: value for name, value in fields if name.lower() not in OWN})
            answer = upstream.getresponse()
            return answer.status, [pair for pair in answer.getheaders() if pair[0].lower() not in OWN], answer.read()
        finally:
            upstream.close()

    def exchange(self, method, path, fields, body):
        """The answer that the client gets, which may be none, and what holds it."""
        form = urllib.parse.parse_qs(body.decode("latin-1")) if method == "POST" else {}
        token = form.get("refresh_token", [None])[0] if form.get("grant_type") == ["refresh_token"] else None
        hold = self.holds.pop(token, None)
        if hold and hold.moment == ARRIVED:
            hold.wait()
            return None, None
        answer = self.pass_on(method, path, fields, body)
        if token and answer[0] == 200:
            self.note(token, answer[2])
        if hold and hold.moment == ACTED:
            hold.wait()
            return None, None
        return answer, hold

    def note(self, token, body):
        # A repeated answer counts from the first one; a new token has not been used.
        if json.loads(body).get("refresh_token") != token:
            self.acted.setdefault(token, time.monotonic())

    def handler(self):
        between = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.close_connection = True
                answer, hold = between.exchange(self.command, self.path, self.headers.items(), body)
                if answer is None:
                    return
                status, fields, body = answer
                self.send_response_only(status)
                for name, value in [*fields, ("Content-Length", str(len(body))), ("Connection", "close")]:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                if hold:
                    hold.wait()

            do_GET = do_POST = do_HEAD = handle_any

            def log_message(self, *_):
                pass

        return Handler

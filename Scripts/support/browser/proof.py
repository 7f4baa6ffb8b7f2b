"""Shows that the checks can fail: each fault is found, and the good page has none."""

import http.server
import threading

from faults import FAULTS, GOOD, POLICY
from inspection import Inspection
from keyboard import Unreachable


class Pages(http.server.ThreadingHTTPServer):
    """Serves the pages on a free port of loopback."""

    daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        number = self.path.removeprefix("/")
        _, page, _, has_policy = FAULTS[int(number)] if number.isdigit() else ("", GOOD, "", True)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if has_policy:
            self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_):
        pass


def prove(chromium, axe):
    """How many faults there are, and what was not found, or was found where nothing is."""
    wrong = []
    with Pages(("127.0.0.1", 0), Answer) as pages:
        origin = f"http://127.0.0.1:{pages.server_port}"

        def found_on(number, name):
            page = chromium.person([origin])
            page.open(f"{origin}/{number}")
            inspection = Inspection(axe)
            inspection.look(page, name)
            found = inspection.a11y + inspection.wider + page.traffic.external + page.traffic.violations
            page.close()
            return found

        found = found_on("", "the good page")
        wrong += [f"found where nothing is: {fault}" for fault in found]
        for number, (name, _, word, _) in enumerate(FAULTS):
            found = found_on(number, name)
            if not any(word in fault for fault in found):
                wrong.append(f"not found: {name}; found: {found}")
        page = chromium.person([origin])
        page.open(origin)
        if not _is_same_twice(page):
            wrong.append("two pictures of a page with a caret differ")
        if not _refuses_what_tab_does_not_reach(page):
            wrong.append("a keyboard presses a button that the Tab key does not reach")
        page.close()
    return len(FAULTS) + 2, wrong


def _is_same_twice(page):
    page.still()
    page.keyboard.reach("Name", ("textbox",))
    return page.picture() == page.picture()


def _refuses_what_tab_does_not_reach(page):
    page.evaluate("document.querySelector('button').tabIndex = -1")
    try:
        page.keyboard.follow("Send")
    except Unreachable:
        return True
    return False

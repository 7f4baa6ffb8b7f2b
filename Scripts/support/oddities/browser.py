"""A browser that follows redirects and sends the forms that send themselves."""

import html.parser
import http.client
import os
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "services"))

from programs import PATIENCE  # noqa: E402


class Form(html.parser.HTMLParser):
    """The one form of a page, which a browser would send by itself."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields = None, {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self.action = found.get("action")
        elif tag == "input" and found.get("name"):
            self.fields[found["name"]] = found.get("value", "")


def fetch(address, form=None):
    """One request of a browser: the status, where it is sent on, and the page."""
    place = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
    target = (place.path or "/") + (f"?{place.query}" if place.query else "")
    body = None if form is None else urllib.parse.urlencode(form)
    fields = {"Accept": "text/html"} | ({"Content-Type": "application/x-www-form-urlencoded"} if form else {})
    try:
        connection.request("GET" if form is None else "POST", target, body, fields)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location"), answer.read().decode("utf-8", "replace")
    finally:
        connection.close()


def visit(address):
    """Opens an address as a browser does: the last page. A fragment stays in the browser."""
    for _ in range(5):
        try:
            status, onward, page = fetch(address)
        except (OSError, http.client.HTTPException) as problem:
            return f"(no page: {problem})"
        form = Form(page) if status == 200 and "<form" in page else None
        if form and form.action:
            return fetch(form.action, form.fields)[2]
        if not onward:
            return page
        address = urllib.parse.urljoin(address, onward)
    return page

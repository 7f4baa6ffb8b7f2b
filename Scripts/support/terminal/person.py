"""The person's browser, without a screen: opens addresses, keeps cookies, fills in forms."""

import html.parser
import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request

PATIENCE = 30


class Browser:
    """One window. It goes wherever it is led, or stays `within` an origin, as one on another machine has to."""

    def __init__(self, within=None):
        self.address, self.page, self.arrived = None, "", None
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), _Border(within))

    def open(self, address, form=None):
        data = None if form is None else urllib.parse.urlencode(form).encode()
        try:
            with self._opener.open(urllib.request.Request(address, data=data), timeout=PATIENCE) as answer:
                self.address, self.page = answer.url, answer.read().decode()
        except _Arrived as end:
            self.arrived = end.address
        except urllib.error.HTTPError as refusal:
            with refusal:
                self.address, self.page = refusal.url, refusal.read().decode()
        return self

    def fill(self, **fields):
        """Fills in the page's form, and sends it."""
        form = _Form()
        form.feed(self.page)
        if form.action is None:
            raise ValueError(f"{self.address} has no form")
        return self.open(urllib.parse.urljoin(self.address, form.action), {**form.fields, **fields})


class _Form(html.parser.HTMLParser):
    """Where the first form of a page goes, and the fields that it brings along."""

    def __init__(self):
        super().__init__()
        self.action, self.fields = None, {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = attributes["action"]
        elif tag == "input" and attributes.get("type") == "hidden":
            self.fields[attributes["name"]] = attributes["value"]


class _Arrived(Exception):
    """A redirect leads across the border."""

    def __init__(self, address):
        super().__init__(address)
        self.address = address


class _Border(urllib.request.HTTPRedirectHandler):
    def __init__(self, within):
        self.within = within

    def redirect_request(self, request, file, code, message, headers, address):
        if self.within and not address.startswith(self.within + "/"):
            raise _Arrived(address)
        return super().redirect_request(request, file, code, message, headers, address)

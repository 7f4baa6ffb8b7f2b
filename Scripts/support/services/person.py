"""A person in front of a browser: fills the forms of sign-in pages, and presses their buttons.

Also a program to put in $BROWSER: person.py SETTINGS ADDRESS, with a file of JSON that says who, and how to decide.
"""

import html.parser
import json
import sys
import urllib.parse

from servers import Visitor

# More pages than any of these services shows for one sign-in.
PAGES = 8
YES = ("approve", "grant", "confirm", "Authorize", "yes")
NO = ("deny", "cancel", "no")
# What tells a site that a person is there, to whom a sign-in can be shown.
BROWSER = {"Accept": "text/html"}


class Form:
    """A form of a page: where it goes, its fields, and its buttons as pairs of name and value."""

    def __init__(self, attributes):
        self.action, self.method = attributes.get("action") or "", (attributes.get("method") or "get").lower()
        self.fields, self.buttons, self.has_password = [], [], False

    def add(self, tag, attributes):
        name, kind = attributes.get("name"), (attributes.get("type") or "").lower()
        if tag == "button" or kind == "submit":
            self.buttons.append((name, attributes.get("value") or ""))
        elif name and (kind not in ("checkbox", "radio") or "checked" in attributes):
            self.fields.append((name, attributes.get("value") or ""))
            self.has_password = self.has_password or kind == "password"


class Forms(html.parser.HTMLParser):
    """The forms of a page."""

    def __init__(self, page):
        super().__init__()
        self.found, self.is_inside = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "form":
            self.found.append(Form(dict(attrs)))
            self.is_inside = True
        elif tag in ("input", "button", "select") and self.is_inside:
            self.found[-1].add(tag, dict(attrs))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_inside = False


class Person(Visitor):
    """Somebody with a name and a password, who says yes or no."""

    def __init__(self, name="user1", password="password", says_yes=True, authority=None):
        super().__init__(authority)
        self.name, self.password, self.says_yes = name, password, says_yes

    def sign_in(self, address, user_code=""):
        """Goes from page to page until none has a form to fill: the last page's status and text."""
        status, page = self.open(address)
        for _ in range(PAGES):
            forms = [form for form in Forms(page).found if form.has_password or form.buttons]
            if status != 200 or not forms:
                return status, page
            status, page = self.submit(forms[0], user_code)
        raise RuntimeError(f"the pages at {self.address} have no end: {page}")

    def submit(self, form, user_code=""):
        """Fills a form of the page, and sends it."""
        target, fields = urllib.parse.urljoin(self.address, form.action), self.filled(form, user_code)
        if form.method == "post":
            return self.open(target, fields, {**BROWSER, "Referer": self.address})
        return self.open(f"{target.partition('?')[0]}?{urllib.parse.urlencode(fields)}")

    def open(self, address, form=None, fields=BROWSER):
        return super().open(address, form, fields)

    def filled(self, form, user_code):
        """The fields as the person fills them, and the button that the person presses."""
        fields = []
        for name, value in form.fields:
            if name in ("login", "username"):
                value = self.name
            elif name == "password":
                value = self.password
            elif name in ("code", "user_code") and user_code:
                value = user_code
            fields.append((name, value))
        wanted = [pair for pair in form.buttons if pair[1] in (YES if self.says_yes else NO)]
        pressed = (wanted or form.buttons or [(None, "")])[0]
        return fields + ([pressed] if pressed[0] else [])


def main(settings, address):
    with open(settings, encoding="utf-8") as file:
        person = Person(**json.load(file))
    status, page = person.sign_in(address)
    # What the tool's own page says is for the person, and a check reads it.
    with open(settings + ".seen", "w", encoding="utf-8") as file:
        file.write(f"{status} {person.address}\n{page}")
    return 0 if status == 200 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""A walk through pages: what is looked at on each, and the figures at the end."""

from inspection import Inspection
from shots import Shots


class Visit:
    """Looks at pages, takes their pictures, and counts what is wrong with them."""

    def __init__(self, chromium, axe, folder):
        self.chromium = chromium
        self.inspection = Inspection(axe)
        self.shots = Shots(folder)
        self.people = []
        self.steps = 0
        self.seen = set()
        self.shown = set()

    def person(self, origins, language="en"):
        """A browser of somebody's own."""
        page = self.chromium.person(origins, language)
        self.people.append(page)
        return page

    def look(self, page, name, picture=None):
        """Looks at the page as it is now, once under each name. The first of a name's pictures are kept."""
        if name in self.seen:
            return
        self.seen.add(name)
        self.inspection.look(page, name)
        picture = picture or name
        if picture not in self.shown:
            self.shown.add(picture)
            self.shots.take(page, picture)

    @property
    def external(self):
        return [address for page in self.people for address in page.traffic.external]

    @property
    def violations(self):
        return [violation for page in self.people for violation in page.traffic.violations]

    def faults(self):
        """Everything that is wrong, a line each."""
        return [
            *self.inspection.a11y, *self.inspection.wider, *(f"sent elsewhere: {address}" for address in self.external),
            *(f"against the page's policy: {violation}" for violation in self.violations),
        ]

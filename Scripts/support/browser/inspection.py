"""Looks at one page as it is now: everything that the checks find fault with."""

from png import changed

# Roles that a person acts on, which need a name.
CONTROLS = {
    "button", "link", "textbox", "searchbox", "spinbutton", "combobox", "listbox", "checkbox", "radio", "switch", "slider",
    "menuitem", "tab", "DisclosureTriangle",
}


class Inspection:
    """The checks of a run, and what they found: faults by page."""

    def __init__(self, axe):
        with open(axe, encoding="utf-8") as file:
            self.axe = file.read()
        self.a11y = []
        self.wider = []
        self.contrast = 21.0
        self.pages = 0
        self.stops = 0

    def look(self, page, name):
        """All checks of a page, which afterwards stands as it did, with the focus at its start."""
        self.pages += 1
        page.still()
        for fault in page.run("basics"):
            self._fault(name, fault)
        self._names(page, name)
        self._widths(page, name)
        # Each in one form: a colour scheme has its own focus ring, whatever the width.
        for width, scheme in ((360, "dark"), (1280, "light")):
            page.show(width, scheme)
            form = f"{name}, {width} px, {scheme}"
            found = page.run("contrast")
            self.contrast = min(self.contrast, found["least"])
            for fault in found["faults"]:
                self._fault(form, fault)
            self._engine(page, form)
            self._focus(page, form)

    def _fault(self, where, what):
        self.a11y.append(f"{where}: {what}")

    def _names(self, page, name):
        for node in page.call("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            if not node.get("ignored") and role in CONTROLS and not node.get("name", {}).get("value", "").strip():
                self._fault(name, f"a {role} without a name")

    def _widths(self, page, name):
        sizes = {}
        for percent in (100, 200):
            page.show(360, "light", percent)
            found = page.run("width")
            sizes[percent] = found["size"]
            if found["wider"]:
                self.wider.append(f"{name}, 360 px, text of {percent} %: {found['wider']} px too wide: {found['culprit']}")
        if sizes[200] < sizes[100] * 1.9:
            self._fault(name, "text does not grow with the size that the person chose")
        page.show(1280, "light")

    def _engine(self, page, form):
        if not page.evaluate("typeof axe === 'object'"):
            page.evaluate(self.axe + "\n;undefined")
        options = "{resultTypes: ['violations'], preload: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', " \
                  "'wcag22aa', 'best-practice']}"
        found = page.evaluate(
            f"axe.run(document, {options}).then(r => r.violations.map(v => v.id + ': ' + v.help + ': ' "
            "+ v.nodes.map(n => n.target.join(' ')).join(', ')))")
        for violation in found:
            self._fault(form, f"axe: {violation}")

    def _focus(self, page, form):
        """Tabs once through the page: each control in the document's order, and each with a change that can be seen."""
        stops = page.run("stops")
        self.stops += len(stops)
        before = [page.picture(stop["clip"]) for stop in stops]
        reached = []
        for stop, picture in zip(stops, before):
            page.keyboard.tab()
            place = page.run("focus")
            reached.append(place)
            # Half of a line of one pixel around it.
            needed = int(stop["perimeter"] / 2)
            if place == stop["place"] and changed(picture, page.picture(stop["clip"]), needed) < needed:
                self._fault(form, f"the focus does not show on “{stop['name']}”")
        for stop, after in zip(stops, stops[1:]):
            if after["bottom"] <= stop["top"] or (after["top"] < stop["bottom"] and after["right"] <= stop["left"]):
                self._fault(form, f"the focus goes back from “{stop['name']}” to “{after['name']}”")
        if reached != [stop["place"] for stop in stops]:
            self._fault(form, "the Tab key does not go through the controls in the document's order")
        page.run("stops")

"""A person who has a keyboard and nothing else: no pointer, and no script that moves the focus."""

from devtools import Refused

KEYS = {"Tab": (9, None), "Enter": (13, "\r"), "Backspace": (8, None), "End": (35, None)}
# More stops than any page has.
STOPS = 120


class Unreachable(Refused):
    """A control that no number of tabs leads to, or that has no such name."""


class Keyboard:
    def __init__(self, page):
        self.page = page

    def press(self, key):
        code, text = KEYS[key]
        event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        if text:
            event["text"] = text
        self.page.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **event)
        event.pop("text", None)
        self.page.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        """Types into what has the focus."""
        for character in text:
            self.page.call("Input.dispatchKeyEvent", type="keyDown", key=character, text=character)
            self.page.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    def tab(self):
        self.press("Tab")

    def focused(self):
        """Role and accessible name of what has the focus, as Chromium tells them to a screen reader."""
        reference = self.page.evaluate(
            "document.activeElement === document.body ? null : document.activeElement", by_value=False)
        if reference is None:
            return None
        nodes = self.page.call("Accessibility.getPartialAXTree", objectId=reference, fetchRelatives=False)["nodes"]
        return nodes[0].get("role", {}).get("value"), " ".join(nodes[0].get("name", {}).get("value", "").split())

    def reach(self, name, roles):
        """Tabs to the control of this name, from where the focus is; twice around at most."""
        seen = []
        for _ in range(STOPS):
            focus = self.focused()
            if focus and focus[0] in roles and focus[1] == name:
                return
            # The document has no focus between its last control and its first.
            if focus is None and seen.count(None) == 2:
                break
            seen.append(focus)
            self.tab()
        reached = ", ".join(f"{role} “{name}”" for role, name in dict.fromkeys(filter(None, seen)))
        raise Unreachable(f"no tab leads to “{name}” on “{self.page.title}”; reached: {reached or 'nothing'}")

    def fill(self, name, text):
        """Writes into the field of this name, instead of what is in it."""
        self.reach(name, ("textbox", "searchbox", "spinbutton", "combobox"))
        length = self.page.evaluate("(document.activeElement.value || '').length")
        self.press("End")
        for _ in range(length):
            self.press("Backspace")
        self.type(text)

    def choose(self, name, option):
        """Chooses from a list: by its first letters, as a keyboard does."""
        self.reach(name, ("combobox", "listbox"))
        self.type(option)
        chosen = self.page.evaluate("document.activeElement.selectedOptions[0].text")
        if chosen != option:
            raise Unreachable(f"typing “{option}” into “{name}” chooses “{chosen}”")

    def follow(self, name):
        """Presses the button, or follows the link, of this name, and waits for the page that it brings."""
        self.reach(name, ("button", "link"))
        self.page.during_load(lambda: self.press("Enter"))

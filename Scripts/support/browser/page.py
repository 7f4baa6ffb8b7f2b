"""One page of the browser: where it is, what it says, and how it is shown."""

import base64
import json
import os

from devtools import Refused
from keyboard import Keyboard
from traffic import Traffic

IN_PAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "in-page")


class Page:
    """A tab. Scripts of the checks run in a world of their own, under no policy of the page, which they leave alone."""

    def __init__(self, tools, context, origins, language):
        self.tools = tools
        self.context = context
        target = tools.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        self.target = target
        self.session = tools.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.loads = 0
        self.world = None
        self.traffic = Traffic(origins)
        self.keyboard = Keyboard(self)
        tools.listen(self._hear)
        for domain in ["Page", "Network", "Audits", "Runtime", "DOM", "Accessibility"]:
            self.call(f"{domain}.enable")
        self.frame = self.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        self.show(1280, "light")

    def call(self, method, **parameters):
        return self.tools.call(method, self.session, **parameters)

    def _hear(self, session, method, parameters):
        if session != self.session:
            return
        self.traffic.hear(method, parameters)
        if method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Page.frameNavigated" and "parentId" not in parameters["frame"]:
            self.world = None

    def open(self, address):
        """Goes to an address, as a person does who types it."""
        def go():
            answer = self.call("Page.navigate", url=address)
            if "errorText" in answer:
                raise Refused(f"{address}: {answer['errorText']}")
        self.during_load(go)

    def during_load(self, action):
        """Does something that brings another page, and waits for that."""
        before = self.loads
        action()
        try:
            self.tools.until(lambda: self.loads > before, "no other page arrives", 20)
        except Refused as refusal:
            raise Refused(f"{refusal}; this one says: {self.text[:300]}") from None
        self.world = None

    def await_loads(self, count, patience, before=None):
        """Waits until the page has loaded itself anew, this often since `before`."""
        before = self.loads if before is None else before
        self.tools.until(lambda: self.loads >= before + count, "the page does not refresh", patience)
        self.world = None

    def hold_still(self):
        """Keeps the page from refreshing, so that it can be looked at."""
        self.call("Page.stopLoading")

    # Ours, which no page can see or touch.

    def evaluate(self, expression, by_value=True):
        """The value of an expression in our own world."""
        if self.world is None:
            self.world = self.call("Page.createIsolatedWorld", frameId=self.frame, worldName="checks")["executionContextId"]
        answer = self.call(
            "Runtime.evaluate", expression=expression, contextId=self.world, returnByValue=by_value, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Refused(f"a check failed in the page: {answer['exceptionDetails']}")
        return answer["result"].get("value") if by_value else answer["result"].get("objectId")

    def run(self, name, *arguments):
        """The result of one of the functions in the folder in-page."""
        with open(os.path.join(IN_PAGE, name + ".js"), encoding="utf-8") as file:
            source = file.read()
        return self.evaluate(f"({source}\n)({', '.join(map(json.dumps, arguments))})")

    @property
    def address(self):
        return self.evaluate("location.href")

    @property
    def title(self):
        return self.evaluate("document.title")

    @property
    def text(self):
        return self.evaluate("document.body ? document.body.innerText : ''")

    def says(self, words):
        """Whether the page says this, in whatever lines."""
        return " ".join(words.split()) in " ".join(self.text.split())

    def field(self, label):
        """What stands in the field of this label."""
        labels = "[...document.querySelectorAll('label')]"
        return self.evaluate(f"{labels}.find(l => l.textContent.trim() === {json.dumps(label)})?.control?.value")

    # How it is shown.

    def show(self, width, scheme, text_percent=100):
        """Shows the page at a width, in a colour scheme and with text of this size, as high as what it holds."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Page.setFontSizes", fontSizes={
            "standard": 16 * text_percent // 100, "fixed": 13 * text_percent // 100})
        self.width, self.scheme = width, scheme
        self._size(width, 640 if width < 600 else 720)
        height = self.evaluate("document.documentElement ? document.documentElement.scrollHeight : 0")
        if height > (640 if width < 600 else 720):
            self._size(width, min(height, 8000))

    def _size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def still(self):
        """Takes away what moves: the caret, and animations."""
        self.run("still")

    def picture(self, clip=None):
        """A PNG of the page, or of a part: left, top, width, height."""
        options = {}
        if clip:
            options["clip"] = dict(zip(["x", "y", "width", "height"], clip), scale=1)
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **options)["data"])

    def close(self):
        self.tools.call("Target.closeTarget", targetId=self.target)
        self.tools.call("Target.disposeBrowserContext", browserContextId=self.context)

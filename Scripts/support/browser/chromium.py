"""A Chromium without a window and with a fresh profile, in which each person has a browser of their own."""

import os
import shutil
import tempfile

from devtools import DevTools
from page import Page

# One font for all machines, so that a picture shows a change of the page and not of the machine.
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><cachedir>{folder}/fonts</cachedir>
<match target="pattern"><test name="family" qual="all" compare="not_contains"><string>mono</string></test>
<edit name="family" mode="assign" binding="strong"><string>Liberation Sans</string></edit></match>
<match target="pattern"><test name="family" compare="contains"><string>mono</string></test>
<edit name="family" mode="assign" binding="strong"><string>Liberation Mono</string></edit></match>
</fontconfig>
"""

FLAGS = [
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--no-pings",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-default-apps", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--mute-audio",
    "--force-color-profile=srgb", "--font-render-hinting=none", "--password-store=basic", "--lang=en-GB",
    # Nothing that a page names leaves this machine, whatever the page tries.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1", "--no-proxy-server",
]


class Chromium:
    """The program. Ends with the block that it is used in, and its profile too."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="latchkey-browser-")
        fonts = os.path.join(self.folder, "fonts.conf")
        with open(fonts, "w", encoding="utf-8") as file:
            file.write(FONTS.format(folder=self.folder))
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "TMPDIR": self.folder, "FONTCONFIG_FILE": fonts,
            "LC_ALL": "C.UTF-8", "TZ": "UTC",
        }
        flags = [*FLAGS, f"--user-data-dir={self.folder}/profile"]
        if os.geteuid() == 0:
            # Chromium's sandbox refuses root, as which tests run in a container.
            flags.append("--no-sandbox")
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.tools = DevTools(["chromium", *flags, "about:blank"], environment, self.log)
        return self

    def __exit__(self, *_):
        self.tools.close()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def version(self):
        return self.tools.call("Browser.getVersion")["product"]

    def person(self, origins, language="en"):
        """A new browser, without cookies, that may speak to `origins` alone; and its one page."""
        context = self.tools.call("Target.createBrowserContext")["browserContextId"]
        return Page(self.tools, context, origins, language)

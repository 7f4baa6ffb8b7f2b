"""The example app, and the identity service in it."""

import json
import os
import re
import urllib.request

from programs import PATIENCE, find, text
from servers import Visitor


class WebApp:
    """One run of the example, with an identity service of one kind."""

    def __init__(self, programs, program, dialect):
        self.dialect = dialect
        folder = os.path.join(programs.folder, f"sessions-{dialect}")
        self.process = programs.start([program, "--dialect", dialect, "--folder", folder])
        find(self.process, r"(?m)^Sign in with: .*$")
        said = dict(re.findall(r"(?m)^(\w+)=(\S+)$", text(self.process)))
        self.origin = said["app"].rstrip("/")
        self.service = said["service"].rstrip("/")

    def control(self, command, body):
        """Tells the identity service something."""
        fields = {"X-Latchkey-Control": "1", "Content-Type": "application/json"}
        request = urllib.request.Request(
            f"{self.service}/control/{command}", data=json.dumps(body).encode(), headers=fields)
        with Visitor().opener.open(request, timeout=PATIENCE) as answer:
            return json.load(answer)

"""oidc-agent at the development server: a sign-in by a code for another device, and refreshes."""

import os
import re
import time

from programs import PATIENCE, find, text
from servers import Visitor


class Agent:
    """A running oidc-agent with a home of its own."""

    home = "agent"

    def __init__(self, programs, server):
        self.programs, self.server = programs, server
        socket = os.path.join(programs.folder, "agent.socket")
        self.environment = {"OIDC_SOCK": socket}
        # Not as a daemon, which would outlive the check.
        process = self.start("oidc-agent", "--console", f"--socket-path={socket}")
        limit = time.monotonic() + PATIENCE
        while not os.path.exists(socket):
            if process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"oidc-agent does not start: {text(process)}")
            time.sleep(0.02)

    def start(self, *words):
        return self.programs.start(words, self.home, environment=self.environment)

    def run(self, *words):
        process = self.start(*words)
        return process.wait(PATIENCE), text(process)

    def device(self):
        """Signs in, with the person at the server's own page: what went wrong, or nothing."""
        password = os.path.join(self.programs.folder, self.home, "password")
        with open(password, "w", encoding="utf-8") as file:
            file.write("a password for the agent's own file\n")
        process = self.start(
            "oidc-gen", "--manual", "--flow=device", f"--iss={self.server.issuer}", "--client-id=dev-device",
            "--client-secret=", "--scope=openid offline_access", "--redirect-uri=http://localhost:8765", "--prompt=none",
            f"--pw-file={password}", "account")
        try:
            self.approve(find(process, r"http://\S+/device"), find(process, r"(?m)(?<=code: )[A-Z]{4}-[A-Z]{4}$"))
        except RuntimeError as error:
            return str(error)
        return None if process.wait(PATIENCE) == 0 else text(process)

    def approve(self, page, user_code):
        """Opens the page, types the code and a password, and says yes."""
        visitor, user = Visitor(), self.server.about["users"][0]
        _, form = visitor.open(f"{page}?user_code={user_code}")
        fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form))
        fields.update(user_code=user_code, username=user["name"], password=user["password"], decision="approve")
        status, body = visitor.open(page, fields)
        if status != 200 or "Signed in" not in body:
            raise RuntimeError(f"the page answers {status}")

    def refresh(self):
        """Refreshes twice, the second time with what the first brought: what went wrong, or nothing."""
        tokens = []
        for words in (["account"], ["account", "--force-new"], ["account", "--force-new"]):
            status, said = self.run("oidc-token", *words)
            token = said.strip()
            if status != 0 or Visitor().open(self.server.user_info, fields={"Authorization": f"Bearer {token}"})[0] != 200:
                return f"oidc-token {' '.join(words)} ends with {status}: {said if status else 'the token is refused'}"
            tokens.append(token)
        if len(set(tokens)) != 3 or self.server.refreshes() != ["ok", "ok"]:
            return f"{len(set(tokens))} tokens, and the server was asked for {self.server.refreshes()}"
        return None

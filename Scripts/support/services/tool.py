"""The tool with a home of its own, at a service that somebody else wrote."""

import json
import os

from programs import PATIENCE, find, text

HERE = os.path.dirname(os.path.realpath(__file__))


class Tool:
    """The tool, whose browser is a person who fills the forms of the service's pages."""

    def __init__(self, programs, path, home, server):
        self.programs, self.path, self.home, self.server = programs, path, home, server
        self.words = ["--issuer", server.issuer] + (["--ca-file", server.authority] if server.authority else [])

    def browser(self, **person):
        """The environment in which the browser is this person."""
        path = os.path.join(self.programs.environment(self.home)["HOME"], "person.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**person, "authority": self.server.authority}, file)
        return {"BROWSER": f"python3 -B {HERE}/person.py {path}"}

    def run(self, *words, **options):
        return self.programs.run([self.path, *words], self.home, **options)

    def must(self, *words, status=0, **options):
        """Runs the tool, which has to end with this status: what it wrote."""
        ended, said = self.run(*words, **options)
        if ended != status:
            raise RuntimeError(f"latchkey {' '.join(words)} ends with {ended}, not with {status}: {said.strip()}")
        return said.strip()

    def login(self, client, *words, status=0, environment=None, **person):
        """Signs in by browser: what the tool wrote."""
        port = ["--port", str(self.server.redirect_port)] if self.server.redirect_port else []
        return self.must("login", *self.words, "--client-id", client, *port, *words, status=status,
                         environment={**self.browser(**person), **(environment or {})})

    def login_by_device(self, client, person, *words, status=0):
        """Signs in by a code, which the person types at the address that the tool shows."""
        command = [self.path, "login", *self.words, "--client-id", client, "--device", *words]
        process = self.programs.start(command, self.home)
        page, code = find(process, r"https?://\S+"), find(process, r"(?<=enter )\S+")
        person.sign_in(page, code)
        if process.wait(PATIENCE) != status:
            raise RuntimeError(f"login --device ends with {process.returncode}, not with {status}: {text(process)}")

    def kept(self):
        """The refresh token that the tool keeps, from its unencrypted file; nothing if it keeps none."""
        for folder, _, names in os.walk(os.path.join(self.programs.folder, self.home, "data")):
            for name in names:
                if name.startswith("credential-") and name.endswith(".record"):
                    with open(os.path.join(folder, name), encoding="utf-8") as record:
                        # The first line says what the file is.
                        record.readline()
                        renewal = json.load(record).get("credential", {}).get("renewal")
                    if renewal:
                        return renewal
        return None

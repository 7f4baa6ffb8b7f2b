"""The commands that send something that spends, and the library's programs: how each is started."""

import dataclasses

from service import CLIENT, Strict


@dataclasses.dataclass(frozen=True)
class Command:
    """One command: its words, where its exchange goes, and what stands before and after it."""

    name: str
    words: tuple
    # The endpoints of which the first answer counts.
    places: tuple = ("token",)
    # Whether the home is signed in before, and how long an access token lasts, in seconds.
    signed_in: bool = True
    lifetime: int = 1
    # Whether the command ends the session.
    leaves: bool = False
    # A deadline of the command's own, among the ways to end.
    has_deadline: bool = False
    # After how many seconds `timeout` ends it: later than the moment.
    timeout: str = "1"
    given: str = ""
    # Who visits the address that it shows.
    visits: bool = False
    # Whether it is a program of the library's user instead of the tool: its shape.
    shape: str = ""

    def line(self, tool, leaver, issuer: Strict, store):
        """The command line at a service."""
        if self.shape:
            return [leaver, store, issuer.address, self.shape]
        values = {"issuer": issuer.address, "folder": issuer.folder, "base": issuer.base, "client": CLIENT}
        return [tool, *(word.format(**values) for word in self.words)]


LOGIN = ("login", "--issuer", "{issuer}", "--client-id", "{client}")
API = ("{folder}/api", "--allow-origin", "{base}")

COMMANDS = (
    Command("token", ("token",)),
    Command("refresh", ("refresh",)),
    Command("whoami", ("whoami", "--refresh")),
    Command("request", ("request", *API, "--timeout", "1s"), has_deadline=True),
    Command("exec", ("exec", "--", "true")),
    Command("exec --refresh", ("exec", "--refresh", "--", "true")),
    Command("exec --refresh, later", ("exec", "--refresh", "--", "sleep", "30"), lifetime=2, timeout="4"),
    Command("credential git", ("credential", "git", "get", "--allow-origin", "{base}"), given="git"),
    Command("credential kubectl", ("credential", "kubectl")),
    Command(
        "credential aws",
        (
            "credential", "aws", "--access-token", "--role-arn", "arn:aws:iam::123456789012:role/me", "--endpoint",
            "{folder}/sts",
        ),
    ),
    Command("logout", ("logout",), ("revoke",), leaves=True),
    Command("profiles remove", ("profiles", "remove", "default", "--force"), ("revoke",), leaves=True),
    Command("login", (*LOGIN, "--no-browser"), signed_in=False, visits=True),
    Command("login --device", (*LOGIN, "--device"), signed_in=False, timeout="3"),
    Command("login --with-token", (*LOGIN, "--with-token"), signed_in=False, given="token"),
)

PROGRAMS = tuple(Command(f"main that {shape}s", (), shape=shape) for shape in ("return", "exit", "throw"))

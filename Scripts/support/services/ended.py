"""What the tool says, and sends, once the service has ended the session: ended.py TOOL."""

import json
import os
import sys
import time

from programs import Missing, PATIENCE, Programs, find, text
from servers import DevServer, LemonLDAP, Speaking, Visitor

CALLS = 8
# How long access tokens last, in seconds: they have to end before the calls are made.
LIFETIME = 3
# More than eight calls may take that wait for nobody, and less than anybody waits for.
LONGEST = 2


class SignedIn:
    """A tool that was signed in at a server, and has refreshed once."""

    def __init__(self, programs, tool, server, home):
        self.programs, self.tool, self.home = programs, tool, home
        words = ["--issuer", server.issuer, "--client-id", server.client, "--no-browser"]
        words += [word for scope in server.scopes for word in ("--scope", scope)]
        words += ["--port", str(server.redirect_port)] if server.redirect_port else []
        login = programs.start([tool, "login", *words], home)
        server.visit(find(login, r"http://127\.0\.0\.1:\d+/\S*response_type=\S+"))
        if login.wait(PATIENCE) != 0:
            raise RuntimeError(f"nobody is signed in: {text(login)}")
        # The service has taken a request of this form: that one is refused later is not the form's fault.
        self.must("refresh")
        self.token = self.must("token")
        # The tool counts from the answer, which it had a little later than the server gave it.
        self.token_ends = time.monotonic() + LIFETIME + 0.5

    def run(self, *words, **options):
        return self.programs.run([self.tool, *words], self.home, **options)

    def must(self, *words):
        status, said = self.run(*words)
        if status != 0:
            raise RuntimeError(f"{' '.join(words)} ends with {status}: {said}")
        return said.strip()

    def wait_for_end(self, server):
        """Returns when the access token has ended, for the server and for the tool."""
        time.sleep(max(0, self.token_ends - time.monotonic()))
        status, _ = Visitor().open(server.user_info, fields={"Authorization": f"Bearer {self.token}"})
        if status != 401:
            raise RuntimeError(f"the server answers {status} to an access token that has ended")

    def owed(self):
        """How many revocations the tool owes: what it says, and what its records hold."""
        said = json.loads(self.run("status", "--json")[1])["pendingRevocations"]
        kept = 0
        for folder, _, names in os.walk(os.path.join(self.programs.folder, self.home, "data")):
            for name in names:
                if name.startswith("credential-") and name.endswith(".record"):
                    with open(os.path.join(folder, name), encoding="utf-8") as record:
                        # The first line says what the file is.
                        record.readline()
                        kept += len(json.load(record).get("pending", []))
        return max(said, kept)


def one_after_another(signed_in):
    """Calls the tool, each time when the call before has ended: (status, seconds) each."""
    calls = []
    for _ in range(CALLS):
        began = time.monotonic()
        status, said = signed_in.run("token")
        calls.append((status, time.monotonic() - began, said))
    return calls


def at_once(signed_in):
    """Calls the tool from as many processes at one instant."""
    began = time.monotonic()
    processes = [signed_in.programs.start([signed_in.tool, "token"], signed_in.home) for _ in range(CALLS)]
    calls = {}
    while len(calls) < CALLS and time.monotonic() - began < 4 * PATIENCE:
        for number, process in enumerate(processes):
            if number not in calls and process.poll() is not None:
                calls[number] = (process.returncode, time.monotonic() - began, text(process))
        time.sleep(0.01)
    return [calls.get(number, (None, time.monotonic() - began, "")) for number in range(CALLS)]


def play(programs, tool, server, calling):
    """Ends a session at the server, calls the tool, signs out, and prints the figures: whether they are as they must be."""
    how = calling.__name__.replace("_", " ")
    signed_in = SignedIn(programs, tool, server, f"{server.name} {how}")
    server.end_session()
    signed_in.wait_for_end(server)
    before = len(server.refreshes())
    calls = calling(signed_in)
    answers = server.refreshes()[before:]
    exits = ",".join(sorted({str(status) for status, _, _ in calls}))
    longest = max(seconds for _, seconds, _ in calls)
    wait = f"<{LONGEST}s" if longest < LONGEST else f"={longest:.1f}s"
    status = signed_in.run("status")[0]
    whoami, named = signed_in.run("whoami")
    checks = json.loads(signed_in.run("doctor", "--json")[1])["checks"]
    doctor = {check["verdict"] for check in checks if check["check"] == "session"}
    signed_out, said = signed_in.run("logout")
    pending = signed_in.owed()
    print(f"{server.name}, which answers {server.answer}, {how}")
    line = f"calls={len(calls)} requests={len(answers)} exit={exits} longest_wait{wait} pending={pending}"
    print(line, flush=True)
    wrong = []
    if line != f"calls={CALLS} requests=1 exit=3 longest_wait<{LONGEST}s pending=0":
        wrong += sorted({told.strip() for _, _, told in calls})
    if set(answers) != {server.logged}:
        wrong.append(f"the server answered {', '.join(answers)}")
    if status != 3:
        wrong.append(f"status ends with {status}")
    if whoami != 3:
        wrong.append(f"whoami ends with {whoami}: {named.strip()}")
    if doctor != {"warn"}:
        wrong.append(f"doctor says {', '.join(sorted(doctor))} of the session")
    if not all("latchkey login" in told for _, _, told in calls):
        wrong.append("a call does not name the command that signs in")
    if signed_out != 0:
        wrong.append(f"logout ends with {signed_out}: {said.strip()}")
    for reason in wrong:
        print(f"  {reason}", flush=True)
    return not wrong


def main(tool):
    with Programs() as programs:
        try:
            servers = [LemonLDAP(programs, LIFETIME), DevServer(programs, tool, LIFETIME),
                       # As Gitea and mockoidc answer.
                       Speaking(programs, tool, LIFETIME, 400, "unauthorized_client"),
                       Speaking(programs, tool, LIFETIME, 401, "invalid_request")]
        except Missing as missing:
            print(f"verify ended: {missing}: run Scripts/setup --servers", file=sys.stderr)
            return 3
        good = [play(programs, tool, server, calling) for server in servers for calling in (one_after_another, at_once)]
        return 0 if all(good) else 1


sys.exit(main(sys.argv[1]))

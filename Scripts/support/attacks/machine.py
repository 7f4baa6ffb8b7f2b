"""Attacks on the files and descriptors of another user, and on what is sent and shown: numbers 4 to 8."""

import http.server
import os
import pty
import subprocess
import threading
import time

from scene import ATTACKER, VICTIM, last

# Moves the cursor in 8 bits, turns the direction of text, hides text in tags, and asks the terminal for its name.
HOSTILE = "a\u009b2J\u202eb\u2028\U000e0041\x1b]0;x\x07\x7f"


def moved_store(owner, mode, why):
    """4: a directory above the store lets another user move it away."""
    def attack(scene):
        above = scene.own("above", owner, mode)
        scene.data = above + "/data"
        os.mkdir(scene.data)
        os.chown(scene.data, VICTIM, VICTIM)
        os.chmod(scene.data, 0o700)
        if mode & 0o020:
            os.chown(above, owner, ATTACKER)
        status, text = scene.signed_in()
        if status != 0:
            return status == 7, f"moves the store out of a directory {why}", last(text)
        scene.run(ATTACKER, ["mv", scene.data, above + "/gone"])
        status, text = scene.latchkey("token")
        return status == 7, f"moves the store out of a directory {why}", last(text)
    return attack


def shared_temporary(scene):
    """4: the file with the token of `exec --refresh` lies in a directory that everybody may change."""
    shared = scene.own("shared", VICTIM, 0o777)
    os.chmod(shared, 0o777)
    scene.signed_in()
    script = 'f=$LATCHKEY_ACCESS_TOKEN_FILE; echo "file $f"; sleep 3; test -s "$f" && echo there || echo gone'
    child = scene.start(
        VICTIM, [scene.tool, "exec", "--refresh", "--", "bash", "-c", script],
        environment={"TMPDIR": shared, "XDG_RUNTIME_DIR": ""})
    moved = False
    limit = time.monotonic() + 5
    while time.monotonic() < limit and child.poll() is None and not moved:
        for name in os.listdir(shared):
            moved = scene.run(ATTACKER, ["mv", f"{shared}/{name}", f"{shared}/taken"])[0] == 0 or moved
        time.sleep(0.05)
    status = scene.end(child)
    return not moved and status not in (0, None), "takes the token's directory from a shared TMPDIR", last(scene.text(child))


def inherited(scene):
    """5: what `exec` and the browser start finds open, beside the descriptor that --refresh names in the environment."""
    scene.signed_in()
    show = ('for f in /proc/self/fd/*; do n=${f##*/}; t=$(readlink $f) || continue; '
            '[[ $n -gt 2 && $n != "$LATCHKEY_ACCESS_TOKEN_FD" && $t != /proc/* && $t != *open.sh ]] && echo "open $n $t"; done; echo listed')
    script = scene.folder + "/open.sh"
    with open(script, "w") as file:
        file.write(show + "\n")
    os.chmod(script, 0o644)
    _, one = scene.latchkey("exec", "--min-validity", "1h", "--", "bash", script)
    _, two = scene.latchkey("exec", "--refresh", "--min-validity", "1h", "--", "bash", script)
    path = scene.folder + "/browser"
    with open(path, "w") as file:
        file.write(f'#!/bin/bash\nbash {script} > {scene.home}/browser.out\n'
                   'exec curl --silent --location --output /dev/null "$1"\n')
    os.chmod(path, 0o755)
    login = scene.login(environment={"BROWSER": path})
    scene.end(login)
    with open(scene.home + "/browser.out") as file:
        three = file.read()
    lines = [line for text in (one, two, three) for line in text.splitlines() if line.startswith("open ")]
    listed = all("listed" in text for text in (one, two, three))
    saw = lines[0] if lines else "nothing but 0, 1 and 2"
    return listed and not lines, "looks at the descriptors of what exec and the browser start", saw


def closed_streams(scene):
    """6: started without descriptors 0, 1, 2, the tool writes into what took their numbers."""
    scene.signed_in()
    _, token = scene.latchkey("token")
    token = token.strip()
    found = ""
    for closed in ("1>&-", "0<&- 1>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"):
        for words in ("token", "token --json", "refresh --json", "status"):
            status, _ = scene.run(VICTIM, ["bash", "-c", f'"$0" {words} {closed}', scene.tool])
            # It says that all was written, though nobody could have got it.
            if status == 0:
                found = found or f"\"{words} {closed}\" wrote into a descriptor that was not its output, and ended with 0"
        _, fresh = scene.latchkey("token")
        for folder, _, names in os.walk(scene.home):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    content = file.read()
                # A record holds the token; nothing that is no record may, and a record is JSON from end to end.
                if name.endswith(".lock") and content.strip() and not content.startswith(b"pid "):
                    found = f"{name} holds {len(content)} bytes that are the tool's output"
                if not name.endswith((".record", ".json")) and any(
                        t.encode() in content for t in (token, fresh.strip()) if t):
                    found = found or f"{name} holds the token"
        status, text = scene.latchkey("token")
        if status != 0:
            found = found or f"the store is damaged: {last(text)}"
    return not found, "starts the tool with standard descriptors closed", found or "every file as it was"


class Resource:
    """A resource of the attacker's, which answers with what steers terminals, and remembers what it was asked."""

    def __init__(self):
        seen = self.seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append(dict(self.headers))
                body = HOSTILE.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def other_host(scene):
    """7: a field of the caller's says where the token goes."""
    resource = Resource()
    scene.signed_in()
    sent = []
    for field in ("Host: evil.example", "X-Forwarded-Host: evil.example", "Connection: X-Forwarded-For"):
        before = len(resource.seen)
        _, text = scene.latchkey("request", "GET", resource.origin + "/", "--allow-origin", resource.origin,
                                 "--header", field)
        if len(resource.seen) > before and "Authorization" in resource.seen[-1]:
            sent.append(f"the token went out with {field}")
    resource.server.shutdown()
    return not sent, "a caller's field Host beside the token", sent[0] if sent else last(text)


def steered_terminal(scene):
    """8: an answer writes to the terminal what the terminal obeys."""
    resource = Resource()
    scene.signed_in()
    words = [scene.tool, "request", "GET", resource.origin + "/", "--allow-origin", resource.origin]
    _, as_json = scene.run(VICTIM, [*words, "--json"])
    master, terminal = pty.openpty()
    os.chown(os.ttyname(terminal), VICTIM, VICTIM)
    subprocess.run(words, user=VICTIM, group=VICTIM, extra_groups=[], env=scene.environment(), cwd="/",
                   stdin=terminal, stdout=terminal, stderr=terminal, timeout=30)
    os.close(terminal)
    shown = os.read(master, 65536).decode("utf-8", "replace")
    resource.server.shutdown()
    bad = [f"U+{ord(c):04X} {where}" for where, text in (("in JSON", as_json), ("on the terminal", shown))
           for c in HOSTILE if ord(c) in (0x1B, 0x7F, 0x9B, 0x202E, 0x2028, 0xE0041) and c in text]
    complete = "status" in as_json and "2J" in shown
    return complete and not bad, "an answer of 8-bit controls, direction marks and tags", ", ".join(bad) or "no such character"


ATTACKS = [
    (4, ATTACKER, moved_store(ATTACKER, 0o755, "that is another user's")),
    (4, ATTACKER, moved_store(0, 0o775, "that a group may change")),
    (4, ATTACKER, shared_temporary),
    (5, VICTIM, inherited),
    (6, VICTIM, closed_streams),
    (7, VICTIM, other_host),
    (8, VICTIM, steered_terminal),
]

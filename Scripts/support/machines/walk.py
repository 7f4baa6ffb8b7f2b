"""The walk through one environment: each command in it, and what is there once the machine is well again."""

import re
import time

from hints import LEAVING, Typed, all_commands, filled, harm, is_hint, told
from machine import Machine, changed

# What no command may say, in whatever environment.
NEVER = re.compile(r"Fatal error|Stack dump|Assertion|Optional\(|\{[a-z]\w*\}|(?:^|\s)\?(?:\s|$)|\.swift\b")
HELP = re.compile(r"(?m)^(?:Usage: latchkey|Signs you in with)")
# The words by which a command says that what was granted is not kept.
GIVEN_UP = re.compile(
    r"revoked|not stored|could not be (?:stored|kept)|in memory only|may still|was not kept|\blost\b(?! otherwise)")
SIGNED_OUT = re.compile(r"(?i)signed out|left|is stored now")
# The output could not be written, or there was no reader: what was done is done.
UNREAD = (1, 141)


class Stuck(Exception):
    """The machine is well, and the commands do not work."""


class Walk:
    """One environment, from the first command to the last, and then each command that a hint has named."""

    def __init__(self, case, tool):
        self.case, self.tool = case, tool
        self.problems, self.statuses, self.typing = [], [], {}
        self.commands = self.hints = self.mended = 0
        self.fruitless = []

    def count(self, kind):
        return sum(found == kind for found, _ in self.problems)

    def go(self):
        with Machine(self.case, self.tool) as self.machine:
            try:
                self.walk()
            except Stuck as problem:
                self.note("untrue", str(problem))
        for failed, place, has_session in self.typing.values():
            with Machine(self.case, self.tool) as self.machine:
                self.type(failed, place, has_session)
        return self

    def walk(self):
        machine = self.machine
        if self.case.later:
            self.well("login")
            machine.fall_ill()
        else:
            machine.fall_ill()
            login = self.step("login", False)
            if login.status != 0:
                for command in ("token", "refresh", "exec"):
                    self.step(command, False)
                machine.mend()
                self.judge_refused(login)
                self.well("login")
                machine.fall_ill()
        for command in ("token", "refresh", "exec") + (("login",) if self.case.later else ()):
            self.step(command)
        machine.mend()
        if not self.judge_session():
            return
        if "logout" in self.case.skipped:
            return
        machine.fall_ill()
        logout = self.step("logout")
        machine.mend()
        self.judge_left(logout)

    def well(self, command):
        """Runs a command on the well machine, where it has to work."""
        ended = self.machine.run(command)
        if ended.status != 0:
            raise Stuck(f"on the well machine {command} ends with {ended.status}: {short(ended)}")
        return ended

    def step(self, command, has_session=True):
        says, before = self.case.expected(command, has_session), self.machine.snapshot()
        ended = self.machine.run(command)
        self.commands += 1
        self.statuses.append(f"{command} {ended.status}" + (f" ({ended.seconds:.0f} s)" if ended.seconds > 5 else ""))
        wrong = [one.wrong(command, ended, self.pattern) for one in says]
        if found := always(ended, says[-1]) or (all(wrong) and wrong[-1]):
            self.note("untrue", f"{command} {found}: {short(ended)}")
        # What makes the machine well in the meantime is no doing of the command.
        found = command not in self.case.relieved and changed(before, self.machine.snapshot())
        if found:
            self.note("harmed", f"{command}: {found}")
        self.read(command, ended, has_session)
        return ended

    def pattern(self, text):
        return text.replace("{home}", re.escape(self.machine.home)).replace("{folder}", re.escape(self.machine.folder))

    def read(self, command, ended, has_session):
        """Reads the hints: which commands they name, and whether these could do harm."""
        self.hints += sum(is_hint(line) for line in told(ended))
        for place, named in enumerate(all_commands(ended)):
            if why := harm(named):
                self.note("harmful", f"{command} names \"{named}\", which {why}")
            elif ended.status != 0 and self.case.can_type and filled(named, self.machine):
                named = named.replace(self.machine.folder, "{folder}").replace(self.machine.issuer, "{issuer}")
                self.typing.setdefault(named, (command, place, has_session))

    def judge_refused(self, login):
        """A sign-in that ended with an error has left nothing at the service, or here is the session, or it said so."""
        is_alive = False in self.machine.granted().values()
        if is_alive and not GIVEN_UP.search(login.text) and self.machine.run("token").status != 0:
            self.note("lost", f"login ends with {login.status}, and a session was granted: {short(login)}")

    def judge_session(self):
        """Whether the session is there; if not, a command has said so."""
        ended = self.machine.run("refresh")
        if ended.status == 4 and "asked to wait" in ended.text:
            time.sleep(2)
            ended = self.machine.run("refresh")
        said = any(one.status == 7 and GIVEN_UP.search(one.text) for one in self.machine.ran)
        if ended.status and not said:
            self.note("lost", f"refresh then ends with {ended.status}: {short(ended)}")
        return ended.status == 0

    def judge_left(self, logout):
        """What the sign-out says is so, here and at the service."""
        token = self.machine.run("token")
        # An earlier sign-in that a new one replaced may stay, where its end could end the new one too.
        granted = self.machine.granted()
        alive = granted and not granted[max(granted)]
        if logout.status == 0 and token.status != 3:
            self.note("untrue", f"logout ends with 0, and then token with {token.status}: {short(token)}")
        elif logout.status == 0 and alive and not re.search(r"later|next|not been told", logout.text):
            self.note("untrue", f"logout ends with 0, and the service was not told: {short(logout)}")
        elif logout.status not in (0, *UNREAD) and token.status == 3 and not SIGNED_OUT.search(logout.text):
            self.note("untrue", f"logout ends with {logout.status}, and nobody is signed in any more: {short(logout)}")

    def type(self, failed, place, has_session):
        """Brings a machine of this kind to where a command fails, types what the hint names, and runs the command again."""
        machine = self.machine
        if has_session:
            self.well("login")
        machine.fall_ill()
        before = machine.snapshot()
        named = all_commands(machine.run(failed))
        if place >= len(named):
            return
        typed = Typed(machine, failed, named[place])
        if typed.status in (2, 127):
            self.note("harmful", f"{failed} names \"{typed.line}\", which is no command: {short(typed.ended)}")
        found = failed not in self.case.relieved and changed(before, machine.snapshot())
        if found:
            self.note("harmed", f"\"{typed.line}\": {found}")
        self.mended += typed.is_mended
        if not typed.is_mended:
            self.fruitless.append(f"{failed}: \"{typed.line}\" ends with {typed.status}, {failed} then: {short(typed.ended)}")
        machine.mend()
        if has_session and not LEAVING.search(typed.line) and failed != "logout" and machine.run("refresh").status != 0:
            self.note("harmed", f"after \"{typed.line}\" the session is gone")

    def note(self, kind, text):
        self.problems.append((kind, text))


def always(ended, says):
    """What is untrue in each environment: a crash, help instead of an answer, an error without a word."""
    if ended.status is None:
        return f"does not end in {ended.seconds:.0f} s"
    if found := NEVER.search(ended.text):
        return f"says {found[0].strip()!r}"
    if ended.status == 0 and HELP.search(ended.text):
        return "prints the help"
    if ended.status != 0 and says.is_heard and not ended.text.strip():
        return f"ends with {ended.status} and says nothing"
    return None


def short(ended):
    """What a command wrote, in one line without the address of a sign-in."""
    lines = [line for line in ended.text.splitlines() if "response_type=" not in line]
    return " | ".join(line.strip() for line in lines if line.strip())[:400]


def walk(case, tool):
    return Walk(case, tool).go()

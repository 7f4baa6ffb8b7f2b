"""A person at the tool, who signs in and answers what is asked."""

import base64
import json
import os
import subprocess
import tempfile

from instance import shown

PASSWORD, NEXT = "long-enough-1", "another-long-one-2"
# What an address for tests is always sent.
TESTED = "424242"


class Person:
    """A home of its own, with nobody signed in."""

    def __init__(self, tool, instance, surroundings):
        self.tool, self.instance = tool, instance
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o700)
        self.environment = {**surroundings, "HOME": self.folder.name}
        self.asked, self.password = [], None
        # The keys of the authenticator apps, by address.
        self.keys = {}

    def close(self):
        self.folder.cleanup()

    def run(self, *words, typed=""):
        ended = subprocess.run(
            [self.tool, *words], env=self.environment, input=typed, capture_output=True, text=True, timeout=120)
        return ended.returncode, ended.stdout, ended.stderr

    def sign_in(self, address, password, *words):
        """Signs in, and answers up to twelve questions: the status, and what was said last."""
        self.asked, self.password = [], password
        typed = f"{password}\n" if "--password-from-stdin" in words else ""
        account = [] if "--provider" in words else ["--account", address]
        said = self.run("login", *self.instance.words, *account, *words, "--detach", "--json", typed=typed)
        for _ in range(12):
            question = document(said[1])
            if said[0] or "challenge" not in question:
                break
            self.asked.append(question["kind"])
            answer = self.answer(question, address)
            if answer is None:
                return 6, "", "nothing came that could be answered"
            said = self.run("answer", question["challenge"], "--json", *answer[0], typed=answer[1])
        return said

    def answer(self, question, address):
        """The words and the input that answer a question."""
        kind = question["kind"]
        if kind == "code":
            return ("--code-from-stdin",), f"{self.instance.message(address, 'code') or TESTED}\n"
        if kind == "enrolment":
            self.keys[address] = question["key"]
        if kind in ("totp", "enrolment"):
            return ("--code-from-stdin",), f"{shown(self.keys[address])}\n"
        if kind == "password":
            return ("--password-from-stdin",), f"{PASSWORD}\n"
        if kind == "newPassword":
            return ("--password-from-stdin",), f"{NEXT}\n"
        if kind == "choose":
            names = [option["id"] for option in question["choices"]]
            liked = [name for name in ("totp", "email_code", "accept", "yes") if name in names]
            return ("--choose", (liked or names)[0]), ""
        if kind == "fields":
            # A number that the dev server sends a known code to.
            values = {
                "phone_number": "+12015550142", "current_password": self.password, "new_password": NEXT, "password": NEXT,
            }
            lines = [f"{field['name']}={values.get(field['name'], 'Some name')}" for field in question["fields"]]
            return ("--fields-from-stdin",), "\n".join(lines) + "\n"
        if kind == "visit":
            back = self.instance.browse(question["url"], question["redirect"])
            return back and (("--redirect-from-stdin",), f"{back}\n")
        if kind == "openedLink":
            link = self.instance.message(address, "link")
            back = link and self.instance.browse(link, question.get("redirect") or "http://127.0.0.1")
            return back and (("--redirect-from-stdin",), f"{back}\n")
        return None

    def holder(self, *words):
        """Whose token the tool gives, by its claims; and what it says if it gives none."""
        status, said, errors = self.run("token", *words)
        if status:
            return None, errors.strip()
        part = said.strip().split(".")[1]
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))), ""


def document(text):
    try:
        return json.loads(text)
    except ValueError:
        return {}

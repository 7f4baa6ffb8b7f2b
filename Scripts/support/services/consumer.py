"""An application with django-allauth at the development server: people sign in to it, in and out."""

import json
import os
import time

from person import Forms, Person
from programs import PATIENCE, text

HERE = os.path.dirname(os.path.realpath(__file__))


class Consumer:
    """The application, which is run by a Python that has django-allauth."""

    def __init__(self, programs, python, port, server):
        self.origin = f"http://127.0.0.1:{port}"
        folder = programs.environment("consumer")["HOME"]
        client = next(client for client in server.about["clients"] if client["clientId"] == "dev-agent")
        self.process = programs.start(
            [python, "-B", f"{HERE}/consumer_app.py", folder, str(port), server.issuer, client["clientId"],
             client["secret"]], "consumer")
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                Person().open(self.origin + "/accounts/login/")
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > limit:
                    raise RuntimeError(f"the application does not start: {text(self.process)}") from None
            time.sleep(0.1)


class ConsumerWalk:
    """What people do at the application, in this order; each method is a step that raises what went wrong."""

    def __init__(self, consumer, server):
        self.consumer, self.server = consumer, server
        self.people = [Person(user["name"], user["password"]) for user in server.about["users"]]

    def enter(self, person):
        """Signs in at the server: what the application knows then."""
        status, page = person.sign_in(self.consumer.origin + "/accounts/oidc/dev/login/")
        if status != 200 or person.address != self.consumer.origin + "/":
            log = text(self.consumer.process)[-900:]
            raise RuntimeError(f"the page at {person.address} answers {status}: {page[-600:]}{log}")
        return json.loads(page)

    def login(self):
        """A person signs in for the first time, and has an account with the claims and the tokens."""
        known = self.enter(self.people[0])
        if (known["email"], known["subject"], known["people"]) != ("ada@example.test", "user-ada", 1):
            raise RuntimeError(f"the application knows {known}")
        fields = {"Authorization": f"Bearer {known['accessToken']}"}
        if Person().open(self.server.user_info, fields=fields)[0] != 200 or not known["refreshToken"]:
            raise RuntimeError("the application's tokens are not good at the server")

    def again(self):
        """The same person in another browser has the same account; another person has another one."""
        ada, grace = self.people
        same = self.enter(Person(ada.name, ada.password))
        other = self.enter(grace)
        if (same["subject"], same["people"]) != ("user-ada", 1):
            raise RuntimeError(f"the application knows {same}")
        if (other["subject"], other["people"]) != ("user-grace", 2):
            raise RuntimeError(f"the application knows {other}")

    def logout(self):
        """Signs out of the application."""
        _, page = self.people[0].open(self.consumer.origin + "/accounts/logout/")
        self.people[0].submit(Forms(page).found[0])
        self.people[0].open(self.consumer.origin + "/")
        if "/accounts/login/" not in self.people[0].address:
            raise RuntimeError(f"still signed in: {self.people[0].address}")

    def denied(self):
        """The person says no at the server, and the application takes that as what it is."""
        ada = self.people[0]
        stranger = Person(ada.name, ada.password, says_yes=False)
        stranger.sign_in(self.consumer.origin + "/accounts/oidc/dev/login/")
        if not stranger.address.endswith("/accounts/3rdparty/login/cancelled/"):
            raise RuntimeError(f"the person ends at {stranger.address}")

    STEPS = [login, again, logout, denied]

"""The walk through an app whose service has passwords: Supabase's dialect, and Clerk's."""

from person import Person
from walk_session import add_account, french, lock, sessions

PASSWORD = "correct horse battery"
NEW_PASSWORD = "staple of a new battery"


class PasswordWalk:
    """One walk. The services differ in addresses, and in where codes are read."""

    def __init__(self, visit, app, address, friend, code_of):
        self.app = app
        self.address = address
        self.friend = friend
        self.code_of = code_of
        self.person = Person(visit, app, address)

    def run(self):
        self.sign_up()
        factor = self.add_factor()
        self.sign_out_and_in(factor)
        self.forgotten(factor)
        add_account(self.person, self.friend, lambda: self.sign_in(*self.friend))
        lock(self.person)
        sessions(self.person)
        french(self.person)

    def sign_in(self, address, password):
        self.person.fill(Email_address=address, Password=password)
        self.person.press("Sign in")

    def sign_up(self):
        person = self.person
        person.open()
        person.expect("Sign in", "/auth/sign-in")
        person.look("sign-in")
        person.press("Create an account")
        person.look("sign-up")
        person.press("Create the account")
        person.expect("Email address: Fill this in", "/auth/sign-up")
        person.look("sign-up-empty")
        person.ok("an empty form is not sent: each field says what is missing")
        person.fill(Email_address=self.address, Password="abc")
        person.press("Create the account")
        if self.app.dialect == "supabase":
            person.expect("Password: Use 6 characters or more", "/auth/sign-up")
            person.ok("a short password is refused, and its field says how long it must be")
        person.open("/auth/sign-up?return=%2F")
        person.fill(Email_address=self.address, Password=PASSWORD)
        person.press("Create the account")
        person.expect("Enter the code that was sent", "/auth/challenge")
        person.look("code")
        before = person.cookie()
        person.fill(Code="000000")
        person.press("Continue")
        person.expect("Code: That is wrong", "/auth/challenge")
        person.look("code-wrong")
        person.ok("a wrong code of the mail is told at its field, and can be typed again")
        person.fill(Code=self.code_of(self.address))
        person.press("Continue")
        person.expect(self.address, "/")
        person.look("home")
        person.check_cookie(before)
        person.ok("signed up with the code of a mail; the cookie is a new one, which only this host gets and no script")

    def add_factor(self):
        person = self.person
        person.press("Add an authenticator app")
        person.look("factor")
        factor = person.authenticator()
        person.ok("another program reads the QR code from the picture of the page: the key beside it is the same")
        person.fill(Code="000000")
        person.press("Add it")
        person.look("factor-wrong")
        person.fill(Code=factor.code())
        person.press("Add it")
        person.expect("The app was added")
        person.ok("added an authenticator app, at the second code")
        return factor

    def answer_factor(self, factor):
        self.person.fill(Code=factor.code())
        self.person.press("Continue")

    def sign_out_and_in(self, factor):
        person = self.person
        person.open("/auth/account")
        person.look("account")
        session = person.cookie()["value"]
        person.sign_out()
        person.look("signed-out")
        person.open()
        person.expect("Sign in", "/auth/sign-in")
        person.require(person.cookie()["value"] != session, "the cookie of the session is left")
        person.ok("signed out: the cookie is gone, and the app's page asks to sign in")
        self.sign_in(self.address, "a wrong password")
        person.expect("What was entered is wrong", "/auth/sign-in")
        person.look("sign-in-wrong")
        person.require(person.page.field("Email address") == self.address, "the address is gone")
        person.ok("a wrong password is told, and the address stays in its field")
        self.sign_in(self.address, PASSWORD)
        person.expect("authenticator app", "/auth/challenge")
        person.look("second-factor")
        person.fill(Code="000000")
        person.press("Continue")
        person.expect("Code: That is wrong", "/auth/challenge")
        person.ok("a wrong code of the authenticator app is told at its field")
        self.answer_factor(factor)
        person.expect(self.address, "/")
        person.ok("signed in with the password and the app's code")

    def forgotten(self, factor):
        person = self.person
        person.sign_out()
        person.press("I have forgotten my password")
        person.look("reset")
        person.fill(Email_address=self.address)
        person.press("Send the message")
        person.expect("Enter the code that was sent", "/auth/challenge")
        person.fill(Code=self.code_of(self.address))
        person.press("Continue")
        self._factor_if_asked(factor)
        person.expect("Choose a new password", "/auth/challenge")
        person.look("new-password")
        person.fill(New_password="abc")
        person.press("Continue")
        person.expect("New password: ", "/auth/challenge")
        person.look("new-password-weak")
        person.fill(New_password=NEW_PASSWORD)
        person.press("Continue")
        self._factor_if_asked(factor)
        person.expect(self.address, "/")
        person.ok("a forgotten password is replaced after the code of a mail; a weak new one was refused")
        person.sign_out()
        self.sign_in(self.address, PASSWORD)
        person.expect("What was entered is wrong", "/auth/sign-in")
        self.sign_in(self.address, NEW_PASSWORD)
        self._factor_if_asked(factor)
        person.expect(self.address, "/")
        person.ok("the old password is refused from then on, and the new one signs in")

    def _factor_if_asked(self, factor):
        """Services ask for the authenticator app at different places of a reset."""
        if self.person.page.says("authenticator app") and "/challenge" in self.person.page.address:
            self.answer_factor(factor)

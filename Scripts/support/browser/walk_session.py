"""What a person does who is signed in, whatever the service: a second account, the lock, other browsers, the language."""

from person import Person

PIN = "135790"


def add_account(person, friend, sign_in):
    """Signs in with another account in the same browser, and goes from one to the other."""
    person.open("/auth/account")
    person.press("Sign in with another account")
    person.expect(f"You are signed in as {person.name}", "/auth/sign-in")
    before = person.cookie()
    sign_in()
    person.expect(friend[0], "/")
    person.check_cookie(before)
    person.open("/auth/account")
    person.look("two-accounts")
    person.press(f"Switch to {person.name}")
    person.expect(f"You are signed in as {person.name}", "/auth/account")
    person.ok("two accounts in one browser: signed in with a second one, and switched back")
    person.press(f"Sign out {friend[0]}")
    person.expect(f"You are signed in as {person.name}", "/auth/account")
    person.open()
    person.expect(person.name, "/")
    person.ok("signed the second one out; the first goes on")


def lock(person):
    """Switches a PIN on, locks, and opens again after a wrong one."""
    person.open("/auth/account")
    person.fill(Choose_a_PIN=PIN)
    person.press("Switch the lock on")
    person.look("lock-on")
    person.press("Lock now")
    person.expect("Your sessions in this browser are locked", "/auth/locked")
    person.look("locked")
    person.open()
    person.expect("locked", "/auth/locked")
    person.ok("locked: the app's own page leads to the lock")
    person.fill(PIN="0000")
    person.press("Unlock")
    person.expect("PIN: That is wrong", "/auth/locked")
    person.look("locked-wrong")
    person.fill(PIN=PIN)
    person.press("Unlock")
    person.expect(person.name, "/")
    person.ok("a wrong PIN opens nothing, the right one does")


def sessions(person):
    """Looks at where the person is signed in, and ends all of it: the next page asks to sign in."""
    person.open("/auth/sessions")
    person.look("sessions")
    person.press("Sign out everywhere")
    person.expect("You are signed out", "/auth/sign-in")
    person.open()
    person.expect("Sign in", "/auth/sign-in")
    person.ok("signed out everywhere")


def french(person):
    """Reads the first page in French: because the browser asks for it, and because the person does."""
    person.open()
    person.press("Français")
    person.expect("Connexion")
    person.look("sign-in-french")
    reader = Person(person.visit, person.app, person.name, language="fr-CA, en;q=0.5")
    reader.open()
    reader.expect("Connexion", "/auth/sign-in")
    person.ok("the pages are in French for those who ask for it, by their browser or by a button")

"""The mistakes that are recorded, and what the tool says to each."""

import os

from sign_ins import ACCOUNT, PASSWORD, by_browser


def issuer(address):
    """A login whose address is wrong."""
    return lambda desk: desk.run("login", "--issuer", address, "--client-id", "my-tool")


def command(*words, signed_in=False):
    """Words that are wrong, however the tool is set up."""
    def record(desk):
        if signed_in:
            by_browser(desk, "--allow-origin", desk.issuer)
            desk.forget()
        desk.run(*(word.format(issuer=desk.issuer) for word in words))
    return record


def no_tls(desk):
    issuer(f"https://{desk.plain_service()}")(desk)


def expired(desk):
    desk.run("login", "--issuer", f"https://{desk.expired_service()}", "--client-id", "my-tool", "--ca-file", "company.pem")


def unknown_authority(desk):
    issuer(f"https://{desk.expired_service()}")(desk)


def wrong_password(desk):
    def person(terminal):
        for number in (1, 2, 3):
            terminal.sees_times("Password:", number)
            terminal.types("wrong-password", hidden=True)

    desk.run("login", *desk.project, "--account", ACCOUNT, person=person)


def wrong_code(desk):
    def person(terminal):
        terminal.sees("Code.*: ?$")
        terminal.types("000000")
        terminal.sees_times("Code sent", 2)
        terminal.types(desk.mailed_code(ACCOUNT))

    desk.run("login", *desk.project, "--code", "--account", ACCOUNT, person=person)


def wrong_paste(desk):
    def person(terminal):
        page = desk.far_browser(terminal)
        for number, text in enumerate(("my password", page.address, "https://example.com/"), 2):
            terminal.types(text, hidden=True)
            terminal.sees_times("\nOr paste", number)
        page.fill(username="ada", password=PASSWORD, decision="approve")
        terminal.types(page.arrived, hidden=True)

    desk.run("login", "--no-browser", "--issuer", desk.issuer, "--client-id", "dev-native", person=person)


def denied(desk):
    def person(terminal):
        desk.browser(terminal).fill(username="ada", password=PASSWORD, decision="deny")

    desk.run("login", "--issuer", desk.issuer, "--client-id", "dev-native", person=person)


def stopped(desk):
    def person(terminal):
        terminal.sees("paste")
        terminal.presses("\x03")

    desk.run("login", "--no-browser", "--issuer", desk.issuer, "--client-id", "dev-native", person=person)
    desk.run("status")


def read_only(desk):
    desk.become_nobody()
    os.chmod(desk.home, 0o500)
    desk.run("login", "--issuer", desk.issuer, "--client-id", "dev-native")


# By the names that the page's marks give them.
WRONG = {
    "a host that does not exist": issuer("https://id.example.invalid"),
    "a port where nothing listens": issuer("http://127.0.0.1:9"),
    "a service without TLS": no_tls,
    "an address that is not for the web": issuer("ftp://id.example.com"),
    "an address without encryption": issuer("http://id.example.com"),
    "an expired certificate": expired,
    "an unknown authority": unknown_authority,
    "a client that the service does not know": command(
        "login", "--device", "--issuer", "{issuer}", "--client-id", "my-tool"),
    "a wrong password": wrong_password,
    "a wrong code": wrong_code,
    "a wrong pasted address": wrong_paste,
    "a sign-in that the person denies": denied,
    "a sign-in that the person stops": stopped,
    "a home that cannot be written": read_only,
    "a mistyped command": command("stauts"),
    "a mistyped option": command("login", "--isuer", "{issuer}"),
    "a secret as an argument": command("login", "--issuer", "{issuer}", "--client-id", "my-tool", "--client-secret", "hush"),
    "a duration without a unit": command("token", "--min-validity", "5"),
    "the version": command("-v"),
    "a token before the first sign-in": command("token"),
    "a profile that does not exist": command("status", "--profile", "work"),
    "a request without a method": command("request", "{issuer}/resource", signed_in=True),
    "a request to another service": command("request", "GET", "https://api.example.com/notes", signed_in=True),
    "a program that does not exist": command("exec", "--", "gti", "fetch", signed_in=True),
}

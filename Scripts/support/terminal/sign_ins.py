"""The sign-ins that are recorded, each at a home of its own that is empty when it begins."""

ACCOUNT, PASSWORD = "ada@example.test", "ada-password"


def by_browser(desk, *more):
    def person(terminal):
        desk.browser(terminal).fill(username="ada", password=PASSWORD, decision="approve")

    desk.run("login", "--issuer", desk.issuer, "--client-id", "dev-native", *more, person=person)
    desk.run("status")


def by_device(desk):
    def person(terminal):
        code = terminal.sees(r"code:\s+(\S+)\n")[1]
        terminal.sees("Waiting")
        page = desk.elsewhere(terminal.sees(r"http://\S+/device")[0])
        page.fill(user_code=code).fill(username="ada", password=PASSWORD, decision="approve")

    desk.run("login", "--device", "--issuer", desk.issuer, "--client-id", "dev-device", person=person)
    desk.run("whoami")


def by_paste(desk):
    def person(terminal):
        page = desk.far_browser(terminal).fill(username="ada", password=PASSWORD, decision="approve")
        terminal.types(page.arrived, hidden=True)

    desk.run("login", "--no-browser", "--issuer", desk.issuer, "--client-id", "dev-native", person=person)
    desk.run("whoami")


def by_password(desk):
    def person(terminal):
        terminal.sees("Mail address.*: ?$")
        terminal.types(ACCOUNT)
        terminal.sees("Password: ?$")
        terminal.types(PASSWORD, hidden=True)

    desk.run("login", *desk.project, person=person)
    desk.run("status")


# By the names that the page's marks give them.
SIGN_INS = {
    "sign-in by browser": by_browser,
    "sign-in by device code": by_device,
    "sign-in by pasted address": by_paste,
    "sign-in by password": by_password,
}

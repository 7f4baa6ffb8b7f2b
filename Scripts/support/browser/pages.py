"""The pages of the development server, and the last page of a sign-in, in Chromium: pages.py TOOL AXE FOLDER."""

import json
import os
import sys
import urllib.request

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "services"))

from chromium import Chromium
from programs import Programs, find
from proof import prove
from servers import DevServer, Visitor
from visit import Visit


def consent(visit, programs, server, language):
    """A person signs in by a browser, and another time does not: the service's pages, and ours at the end."""
    for profile, decision in (("yes", "Approve"), ("no", "Deny")):
        login = programs.start([
            programs.tool, "login", "--profile", f"{language}-{profile}", "--issuer", server.issuer, "--client-id", server.client,
            "--no-browser"])
        address = find(login, rf"{server.issuer}/authorize\S*")
        page = visit.person([server.issuer], language)
        page.open(address)
        if language == "en" and decision == "Approve":
            visit.look(page, "consent")
            page.keyboard.fill("Password", "wrong")
            page.keyboard.follow("Approve")
            visit.look(page, "consent-wrong-password")
        if decision == "Approve":
            page.keyboard.fill("Password", server.about["users"][0]["password"])
        page.traffic.allow(listener(address))
        page.keyboard.follow(decision)
        visit.look(page, f"redirect-{'arrived' if decision == 'Approve' else 'failed'}-{language}")
        login.wait(20)


def listener(address):
    """The origin that a request for a code leads back to."""
    redirect = dict(pair.split("=", 1) for pair in address.split("?", 1)[1].split("&"))["redirect_uri"]
    return "/".join(redirect.replace("%3A", ":").replace("%2F", "/").split("/")[:3])


def device(visit, programs, server):
    """A person enters the code of a device: a wrong one, with a wrong password, and right; and denies another."""
    for decision in ("Approve", "Deny"):
        login = programs.start([
            programs.tool, "login", "--profile", f"device-{decision}", "--issuer", server.issuer, "--client-id", "dev-device",
            "--device"])
        code = find(login, r"\b[A-Z0-9]{4}-[A-Z0-9]{4}\b")
        page = visit.person([server.issuer])
        page.open(server.issuer + "/device")
        visit.look(page, "device")
        page.keyboard.fill("Code shown by the device", "BBBB-BBBB")
        page.keyboard.follow("Approve")
        visit.look(page, "device-wrong-code")
        page.keyboard.fill("Code shown by the device", code)
        page.keyboard.fill("Password", "wrong")
        if decision == "Approve":
            page.keyboard.follow("Approve")
            visit.look(page, "device-wrong-password")
            page.keyboard.fill("Password", server.about["users"][0]["password"])
        page.keyboard.follow(decision)
        visit.look(page, "device-approved" if decision == "Approve" else "device-denied")
        login.terminate()


def plain(visit, server):
    """Pages that nobody has to do anything on."""
    page = visit.person([server.issuer])
    for path, name in (
            ("/", "home"), ("/inbox", "inbox-empty"), ("/authorize?client_id=nobody", "refused"), ("/nothing", "not-found")):
        page.open(server.issuer + path)
        visit.look(page, name)
    supabase = server.about["supabase"]
    for address in ("ada@example.test", "a.person.with.a.long.name.that.fills.the.line@mail.example.test"):
        mail(supabase, address)
    page.open(server.issuer + "/inbox")
    visit.look(page, "inbox")


def mail(supabase, address):
    """The project mails a link and a code to somebody."""
    fields = {"apikey": supabase["publishableKey"], "Content-Type": "application/json"}
    request = urllib.request.Request(
        f"{supabase['url']}/auth/v1/otp", data=json.dumps({"email": address}).encode(), headers=fields)
    Visitor().opener.open(request, timeout=10).close()


def main(tool, axe, folder):
    with Programs() as programs, Chromium() as chromium:
        programs.tool = tool
        print(f"{chromium.version}; pages with one fault each come first", flush=True)
        faults, wrong = prove(chromium, axe)
        print(f"faults={faults} found={faults - len(wrong)}", flush=True)
        server = DevServer(programs, tool, 300)
        server.control("configure", {"autoApprove": False})
        visit = Visit(chromium, axe, folder)
        plain(visit, server)
        for language in ("en", "fr"):
            consent(visit, programs, server, language)
        device(visit, programs, server)
    print(f"{len(visit.shots.paths)} pictures, {visit.shots.shrink() // 1024} KiB: {folder}")
    for fault in [*wrong, *visit.faults()]:
        print(f"  {fault}")
    looked = visit.inspection
    print(
        f"pages={looked.pages} shots={len(visit.shots.paths)} contrast_min={looked.contrast:.2f} wider={len(looked.wider)} "
        f"external={len(visit.external)} csp_violations={len(visit.violations)} a11y={len(looked.a11y)}")
    return 1 if wrong or visit.faults() else 0


sys.exit(main(*sys.argv[1:]))

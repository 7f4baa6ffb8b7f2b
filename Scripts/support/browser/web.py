"""The example app in Chromium, at each kind of service: web.py PROGRAM AXE FOLDER."""

import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "services"))

from chromium import Chromium
from devtools import Refused
from person import Astray
from programs import Programs
from visit import Visit
from walk_oauth import OAuthWalk
from walk_password import PasswordWalk
from web_app import WebApp

# The address whose codes Clerk's dialect makes predictable, as its vendor does.
CLERK_CODE = "424242"


def mails(visit, app):
    """Reads codes as a person does: on the page with the mail that the service has sent."""
    page = visit.person([app.service])

    def code_of(address):
        page.open(app.service + "/inbox")
        return re.search(re.escape(address) + r".*\n+(\d{6})", page.text).group(1)
    return code_of


def walks(visit, programs, program):
    app = WebApp(programs, program, "supabase")
    yield PasswordWalk(visit, app, "zoe@example.test", ("ada@example.test", "ada-password"), mails(visit, app))
    app = WebApp(programs, program, "oauth")
    yield OAuthWalk(visit, app)
    app = WebApp(programs, program, "clerk")
    yield PasswordWalk(
        visit, app, "zoe+clerk_test@example.test", ("ada+clerk_test@example.test", "ada-password"), lambda _: CLERK_CODE)


def main(program, axe, folder):
    lost = []
    with Programs() as programs, Chromium() as chromium:
        visit = Visit(chromium, axe, folder)
        for walk in walks(visit, programs, program):
            try:
                walk.run()
            except (Astray, Refused) as error:
                lost.append(f"{walk.app.dialect}: {error}")
    visit.shots.index("The pages of the example app, in four forms", "Scripts/demo web --shots Documentation/Images/Web")
    print(f"{len(visit.shots.paths)} pictures, {visit.shots.shrink() // 1024} KiB: {folder}")
    looked = visit.inspection
    for fault in [*lost, *visit.faults()]:
        print(f"  {fault}")
    print(f"pages={looked.pages} contrast_min={looked.contrast:.2f} wider={len(looked.wider)} failed={len(lost)}")
    print(
        f"a11y={len(looked.a11y)} csp_violations={len(visit.violations)} external={len(visit.external)} "
        f"shots={len(visit.shots.paths)} steps={visit.steps}")
    return 1 if lost or visit.faults() else 0


sys.exit(main(*sys.argv[1:]))

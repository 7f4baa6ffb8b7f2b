"""The pages of the development server, and the last page of a sign-in, in Chromium: pages.py TOOL AXE FOLDER."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "services"))

from chromium import Chromium
from devtools import Refused
from programs import Programs
from proof import prove
from servers import DevServer
from visit import Visit
from walk_pages import Lost, Pages


def walk(visit, programs, server):
    """All walks in each language: what went astray, a line each."""
    for language in ("en", "fr"):
        pages = Pages(visit, programs, server, language)
        for part in (pages.plain, pages.inbox, pages.consent, pages.slow, pages.refused, pages.factor, pages.device):
            try:
                part()
            except (Lost, Refused) as error:
                yield f"{part.__name__}, {language}: {error}"


def main(tool, axe, folder):
    with Programs() as programs, Chromium() as chromium:
        programs.tool = tool
        print(f"{chromium.version}; pages with one fault each come first", flush=True)
        faults, wrong = prove(chromium, axe)
        print(f"faults={faults} found={faults - len(wrong)}", flush=True)
        server = DevServer(programs, tool, 300)
        server.control("configure", {"autoApprove": False})
        visit = Visit(chromium, axe, folder)
        wrong += walk(visit, programs, server)
    visit.shots.index("The pages, in four forms", "Scripts/verify pages --keep")
    print(f"{len(visit.shots.paths)} pictures, {visit.shots.shrink() // 1024} KiB: {folder}")
    for fault in [*wrong, *visit.faults()]:
        print(f"  {fault}")
    looked = visit.inspection
    print(
        f"pages={looked.pages} shots={len(visit.shots.paths)} contrast_min={looked.contrast:.2f} wider={len(looked.wider)} "
        f"external={len(visit.external)} csp_violations={len(visit.violations)} a11y={len(looked.a11y)}")
    return 1 if wrong or visit.faults() else 0


sys.exit(main(*sys.argv[1:]))

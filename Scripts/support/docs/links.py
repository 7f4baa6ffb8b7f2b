"""Looks for links inside a built site that lead nowhere: links.py SITE. Prints each, and `broken=N` at the end."""

import json
import os
import sys


class Site:
    """A merged archive of docc. Pages are described in data/, and served from folders of the same names."""

    def __init__(self, folder):
        self.folder = folder
        self.pages = {}
        data = os.path.join(folder, "data")
        for path, _, names in os.walk(data):
            for name in names:
                if name.endswith(".json"):
                    file = os.path.join(path, name)
                    self.pages["/" + os.path.relpath(file, data).removesuffix(".json").lower()] = file

    def page(self, address):
        with open(self.pages[address], encoding="utf-8") as file:
            return json.load(file)

    def anchors(self, page):
        """The places of a page that a link can lead to."""
        found = set()
        def walk(node):
            if isinstance(node, dict):
                if "anchor" in node and isinstance(node["anchor"], str):
                    found.add(node["anchor"])
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)
        walk(page.get("primaryContentSections", []))
        return found | {"topics", "overview", "discussion", "see-also", "relationships", "parameters", "return-value",
                        "declaration", "content"}

    def links(self, page):
        """The addresses inside the site that a page names."""
        for reference in page.get("references", {}).values():
            if reference.get("type") in ("topic", "link", "section") and reference.get("url", "").startswith("/"):
                yield reference["url"]
            for variant in reference.get("variants", []):
                yield variant["url"]

    def broken(self):
        """Every link that leads nowhere, with the page that has it."""
        anchors = {}
        for address in sorted(self.pages):
            page = self.page(address)
            for link in self.links(page):
                target, _, anchor = link.partition("#")
                target = target.rstrip("/").lower()
                if target.startswith(("/images", "/videos", "/downloads")):
                    if not os.path.exists(self.folder + link):
                        yield address, link
                    continue
                if target not in self.pages or not os.path.exists(f"{self.folder}{target}/index.html"):
                    yield address, link
                    continue
                if anchor:
                    if target not in anchors:
                        anchors[target] = {name.lower() for name in self.anchors(self.page(target))}
                    if anchor.lower() not in anchors[target]:
                        yield address, link
            yield from self._unresolved(address, page)

    def _unresolved(self, address, page):
        """Links that docc has not resolved, and left in the text. Conformances to Swift's own protocols are names alone."""
        for section in ("abstract", "primaryContentSections", "topicSections", "seeAlsoSections"):
            for identifier in references(page.get(section, [])):
                place = page["references"].get(identifier)
                if place is None or place.get("type") == "unresolvable":
                    yield address, identifier


def references(node):
    """The identifiers of the links inside a node."""
    if isinstance(node, dict):
        if node.get("type") == "reference":
            yield node["identifier"]
        yield from (identifier for value in node.values() for identifier in references(value))
        if isinstance(node.get("identifiers"), list):
            yield from node["identifiers"]
    elif isinstance(node, list):
        yield from (identifier for value in node for identifier in references(value))


def main(folder):
    broken = list(Site(folder).broken())
    for address, link in broken:
        print(f"  {address} leads to {link}")
    print(f"broken={len(broken)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Makes catalogs of docc out of the guides and the README: articles.py CATALOGS FOLDER.

CATALOGS has a catalog for some products, which are taken over as they are. Every other product gets one with the sentence that
the README's table has for it. A guide becomes an article of the core: a link to another guide leads to its article, and a link to
a file of the repository, which the site does not have, becomes the file's path.
"""

import os
import re
import shutil
import sys
import urllib.parse

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", ".."))
PAGES = os.path.join(ROOT, "Documentation")
# For those who change Latchkey itself, or lists for the tests: they stay in the repository.
INNER = {"Internals", "Images"}
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(([^()\s]+)\)")
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")


def guides():
    """The guides by their names, without their ending, and where each is: one folder for each kind of reader."""
    found = {}
    for folder in sorted(os.listdir(PAGES)):
        place = os.path.join(PAGES, folder)
        if folder in INNER or folder.endswith(".docc") or not os.path.isdir(place):
            continue
        for name in sorted(os.listdir(place)):
            if name.endswith(".md"):
                found[name.removesuffix(".md")] = os.path.join(place, name)
    return found


def heading(anchor, name, path):
    """The heading of a guide that this anchor, as GitHub makes them, leads to."""
    with open(path, encoding="utf-8") as file:
        for line in re.findall(r"^#+ (.+)$", file.read(), re.MULTILINE):
            if github_anchor(line) == anchor:
                return line
    raise SystemExit(f"{name}.md has no heading for #{anchor}")


def github_anchor(line):
    text = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line).lower())
    return text.strip().replace(" ", "-")


def docc_anchor(line):
    """How docc names the place: the heading, with hyphens for what an address cannot hold."""
    return urllib.parse.quote(re.sub(r"\s+", "-", re.sub(r"[`*]", "", line).strip()))


class Article:
    """One guide, as docc wants it."""

    def __init__(self, name, known, pictures):
        self.name, self.known, self.pictures = name, known, pictures
        self.folder = os.path.dirname(known[name])
        with open(known[name], encoding="utf-8") as file:
            self.text = file.read()

    def converted(self):
        # Code is left alone.
        parts = re.split(r"(^```[\s\S]*?^```$)", self.text, flags=re.MULTILINE)
        return "".join(part if part.startswith("```") else self._prose(part) for part in parts)

    def _prose(self, text):
        text = re.sub(r"<!--[\s\S]*?-->", "", text)
        return LINK.sub(self._link, IMAGE.sub(self._image, text))

    def _image(self, match):
        path = os.path.normpath(os.path.join(self.folder, match[2]))
        name = os.path.relpath(path, PAGES).replace("/", "-")
        self.pictures[name] = path
        return f"![{match[1]}]({name})"

    def _link(self, match):
        words, target = match[1], match[2]
        if re.match(r"[a-z]+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        name = os.path.basename(path).removesuffix(".md") if path else self.name
        file = os.path.normpath(os.path.join(self.folder, path))
        if not path or self.known.get(name) == file:
            place = f"#{docc_anchor(heading(anchor, name, self.known[name]))}" if anchor else ""
            # The name of the file says nothing here; its title does.
            return f"<doc:{name}{place}>" if words == f"{name}.md" else f"[{words}](doc:{name}{place})"
        file = os.path.relpath(file, ROOT)
        return f"{words} (in the repository: `{file}`)" if words.strip("`") not in file else f"`{file}`"


def sentences():
    """What the README says each product is for."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| [^|]+ \| [^|]+ \|$", file.read(), re.MULTILINE)
    return {product: text[0].upper() + text[1:] + "." for product, text in rows}


def add_guides(folder):
    """Adds every guide to the core's catalog, whose page must list each."""
    known, pictures = guides(), {}
    with open(os.path.join(folder, "Latchkey.md"), encoding="utf-8") as file:
        listed = set(re.findall(r"<doc:(\w+)>", file.read()))
    if different := set(known) ^ listed:
        raise SystemExit(f"Latchkey.md lists other guides than there are: {', '.join(sorted(different))}")
    for name in known:
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(Article(name, known, pictures).converted())
    for name, path in pictures.items():
        shutil.copyfile(path, os.path.join(folder, name))


def main(catalogs, folder):
    for product, sentence in sentences().items():
        own, made = os.path.join(catalogs, product + ".docc"), os.path.join(folder, product + ".docc")
        if os.path.isdir(own):
            shutil.copytree(own, made)
            continue
        os.mkdir(made)
        with open(os.path.join(made, product + ".md"), "w", encoding="utf-8") as file:
            file.write(f"# ``{product}``\n\n{sentence}\n")
    add_guides(os.path.join(folder, "Latchkey.docc"))


if __name__ == "__main__":
    main(*sys.argv[1:])

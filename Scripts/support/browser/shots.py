"""Pictures of pages, in the four forms in which people see them."""

import os
import shutil
import subprocess

FORMS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]


class Shots:
    """Writes PNGs to a folder: NAME-WIDTH-SCHEME.png."""

    def __init__(self, folder):
        self.folder = folder
        self.paths = []
        self.titles = {}
        os.makedirs(folder, exist_ok=True)

    def take(self, page, name):
        """Pictures of the page as it stands, without what differs from run to run: the caret."""
        page.still()
        self.titles[name] = page.title
        for width, scheme in FORMS:
            page.show(width, scheme)
            path = os.path.join(self.folder, f"{name}-{width}-{scheme}.png")
            with open(path, "wb") as file:
                file.write(page.picture())
            self.paths.append(path)
        page.show(1280, "light")

    def index(self, heading, command):
        """Writes README.md beside the pictures, which shows all of them."""
        lines = [f"# {heading}", "", f"Taken by `{command}`.", ""]
        for name, title in self.titles.items():
            lines += [f"## {title} (`{name}`)", "", "| " + " | ".join(f"{width} px, {scheme}" for width, scheme in FORMS) + " |",
                      "|" + "---|" * len(FORMS)]
            pictures = (f"![{name}, {width} px, {scheme}]({name}-{width}-{scheme}.png)" for width, scheme in FORMS)
            lines += ["| " + " | ".join(pictures) + " |", ""]
        with open(os.path.join(self.folder, "README.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))

    def shrink(self):
        """Makes the files small, if pngquant is there: a page has few colours."""
        if shutil.which("pngquant") and self.paths:
            # 98 and 99: a file would not be smaller, or not good enough, and stays as it is.
            ended = subprocess.run(
                ["pngquant", "--force", "--strip", "--skip-if-larger", "--speed", "1", "--ext", ".png", "64", "--", *self.paths],
                stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            if ended.returncode not in (0, 98, 99):
                raise RuntimeError(f"pngquant ended with {ended.returncode}")
        return sum(map(os.path.getsize, self.paths))

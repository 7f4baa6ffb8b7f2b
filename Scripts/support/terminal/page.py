"""The page that has the recordings: a block after a mark belongs to the recorder, all else to whoever writes the page."""

import difflib
import re

BLOCK = re.compile(r"^<!-- recorded: ([^\n]+) -->\n```console\n([\s\S]*?)^```$", re.MULTILINE)


def blocks(page):
    """The recordings on a page, by name."""
    found = {}
    for name, text in BLOCK.findall(page):
        if name in found:
            raise ValueError(f"the page has two recordings of: {name}")
        found[name] = text.rstrip("\n")
    return found


def written(page, recorded):
    """The page with the recordings in their places."""
    return BLOCK.sub(lambda block: _block(block[1], recorded.get(block[1], block[2].rstrip("\n"))), page)


def differences(page, recorded):
    """What is not the same on the page and in the recordings: a text for each block."""
    shown = blocks(page)
    for name in sorted({*shown, *recorded}, key=[*recorded, *shown].index):
        if name not in recorded:
            yield f"the page has a block that nobody records: {name}"
        elif name not in shown:
            yield f"the page lacks the mark: <!-- recorded: {name} -->"
        elif shown[name] != recorded[name]:
            yield "\n".join(difflib.unified_diff(
                shown[name].split("\n"), recorded[name].split("\n"), f"{name}, on the page", f"{name}, recorded now", n=2,
                lineterm=""))


def _block(name, text):
    return f"<!-- recorded: {name} -->\n```console\n{text}\n```"

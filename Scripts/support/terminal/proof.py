"""Faults, each of which the check has to find: one that finds nothing here would find nothing anywhere."""

from desk import Desk
from page import differences, written
from screen import Screen

# What a program writes, and what a person sees at the end.
SHOWN = [
    (b"Waiting \xe2\x80\xa6\r\x1b[KDone\n", "Done"),
    (b"abc\b\b\x1b[31mx\x1b[0m\n", "axc"),
    (b"one\ntwo\x1b[A\x1b[2K\rthree\n", "three\ntwo"),
    (b"\x1b]0;title\x07ab\x7f\r\n", "ab"),
    (b"12345\x1b[3G\x1b[1Kx", "  x45"),
    (b"one\ntwo\x1b[A\r\x1b[J", ""),
]
# A program that shows what it should hide.
TELLTALE = """#!/bin/sh
stty -echo
printf 'Password: '
read -r typed
stty echo
echo "$typed"
"""


def prove(programs, server, recorded):
    """How many faults there are, and a text for each that was not found."""
    good = "".join(_block(name, text) for name, text in recorded.items())
    results = {"a fault where there is none": not list(differences(good, recorded))}
    for name, page in _changed(good, recorded).items():
        results[name] = len(list(differences(page, recorded))) == 1
        # What is not on the page cannot be put right there.
        results[f"{name}, after it was put right"] = not list(differences(written(page, recorded), recorded))
    results["a block that nobody records"] = len(list(differences(good + _block("nothing", ""), recorded))) == 1
    name, text = next(iter(recorded.items()))
    results["a recording without its mark"] = len(list(differences(good.replace(_block(name, text), ""), recorded))) == 1
    for data, text in SHOWN:
        screen = Screen()
        for byte in data:
            screen.write(bytes([byte]))
        results[f"what {data} shows"] = screen.text == text
    results["a password that shows"] = _shows(programs, server)
    return len(results), [f"not found: {name}" for name, found in results.items() if not found]


def _block(name, text):
    return f"<!-- recorded: {name} -->\n```console\n{text}\n```\n"


def _changed(good, recorded):
    """Pages with one fault each."""
    pages = {}
    for name, text in recorded.items():
        lines = text.split("\n")
        changes = {
            "a changed word": [*lines[:-1], lines[-1] + "s"], "a lost line": lines[:-1], "a line too many": [*lines, lines[-1]],
        }
        for change, result in changes.items():
            pages[f"{change}: {name}"] = good.replace(_block(name, text), _block(name, "\n".join(result)))
    return pages


def _shows(programs, server):
    desk = Desk(programs, "telltale", server, "telltale")
    desk.tool = desk.program("telltale", TELLTALE)

    def person(terminal):
        terminal.sees("Password")
        terminal.types("ada-password", hidden=True)

    desk.run(person=person)
    return desk.leaks == ["ada-password"]

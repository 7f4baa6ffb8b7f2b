"""The tests, as they stand in the Swift sources: what each is called, and which rows of which pages it says that it proves."""

import os
import re

# Where tests lie, those of the packages beside this one included.
PLACES = ("Tests", "Fuzz", "Plugins/Bridges")
# The traits of Tests/Shared/Proofs.
TRAITS = ("law", "standard", "need", "complaint")
TRAIT = re.compile(r"\.(%s)\(([^()]*)\)" % "|".join(TRAITS))
DECLARED = re.compile(r"^( *)@(Test|Suite)\b", re.MULTILINE)
TYPE = re.compile(r"^( *)(?:\S.*[ )])?(?:struct|class|actor|enum|extension) ([\w.]+)[^\n]*\{$")
# A counterexample of the lane is told by its number before the test's name, several by several.
NUMBERS = re.compile(r"((?:D?\d+)(?:, D?\d+)*): ")


class Test:
    """One test, or a whole suite."""

    def __init__(self, path, line, name, suite, function, proofs):
        self.path, self.line, self.name, self.suite, self.function = path, line, name, suite, function
        # (trait, row), in the order of the source.
        self.proofs = proofs

    @property
    def runs(self):
        """What `swift test --filter` takes for it."""
        return f"{self.suite}/{self.function}" if self.function else self.suite

    @property
    def place(self):
        return f"{self.path}:{self.line}"

    @property
    def counterexamples(self):
        numbers = NUMBERS.match(self.name or "")
        return numbers[1].split(", ") if numbers else []


def swift_files(root):
    """The texts of all files that may hold tests, by their paths."""
    found = {}
    for place in PLACES:
        for folder, folders, names in os.walk(os.path.join(root, place)):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if name.endswith(".swift"):
                    file = os.path.join(folder, name)
                    with open(file, encoding="utf-8") as text:
                        found[os.path.relpath(file, root)] = text.read()
    return found


def end_of_string(text, start):
    """Where the string that begins at `start`, with its hashes, has ended."""
    opening = re.compile(r'(#*)("""|")').match(text, start)
    hashes, quote = opening[1], opening[2]
    index = opening.end()
    while not text.startswith(quote + hashes, index):
        if index >= len(text):
            raise ValueError("a text does not end")
        index += 2 if not hashes and text[index] == "\\" else 1
    return index + len(quote + hashes)


def attribute(text, start):
    """What stands between the parentheses that open at `start`, and where they have closed."""
    depth, index = 0, start
    while index < len(text):
        if re.compile(r'#*"').match(text, index):
            index = end_of_string(text, index)
            continue
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        index += 1
        if depth == 0:
            return text[start + 1 : index - 1], index
    raise ValueError("an attribute does not end")


def rows(trait, arguments):
    """(trait, row) for each row that a trait names; a complaint's page takes the place of the trait."""
    named = [word or number for word, number in re.findall(r'"(\w+)"|\b(\d+)\b', arguments)]
    page = re.match(r"\s*\.(\w+)\s*,", arguments)
    return [(page[1] if page else trait, row) for row in named]


def enclosing(lines, index, indent):
    """The types around a line, from the outermost: the formatter indents what is in a type."""
    names = []
    for line in reversed(lines[:index]):
        if indent == 0:
            break
        found = TYPE.match(line)
        if found and len(found[1]) < indent:
            names.insert(0, found[2].split(".")[-1])
            indent = len(found[1])
    return names


def read(path, text):
    """The tests and suites of a file, and the lines of traits that belong to none."""
    lines = text.split("\n")
    tests, known = [], set()
    for declared in DECLARED.finditer(text):
        inside, end = "", declared.end()
        if text.startswith("(", end):
            try:
                inside, end = attribute(text, end)
            except ValueError:
                continue  # It is in a text of a test about sources.
        name = re.match(r'\s*"((?:[^"\\\n]|\\.)*)"', inside)
        line = text.count("\n", 0, declared.start()) + 1
        suite = enclosing(lines, line - 1, len(declared[1]))
        proofs = []
        # A name may speak of a trait without being one.
        start = declared.end() + 1 + (name.end() if name else 0)
        for trait in TRAIT.finditer(text, start, end) if inside else ():
            known.add(trait.start())
            proofs += rows(trait[1], trait[2])
        if declared[2] == "Test":
            function = re.compile(r"\bfunc (`[^`]+`|\w+)").search(text, end)
            function = function and function[1].strip("`")
        else:
            kind = re.compile(r"\b(?:struct|class|actor|enum|extension) (\w+)").search(text, end)
            function, suite = None, suite + ([kind[1]] if kind else [])
        shown = name and re.sub(r"\\(.)", r"\1", name[1])
        tests.append(Test(path, line, shown, "/".join(suite), function, proofs))
    stray = [text.count("\n", 0, found.start()) + 1 for found in TRAIT.finditer(text) if found.start() not in known]
    return tests, stray if re.search(r"^ *import Proofs$", text, re.MULTILINE) else []

"""The pages with lists of tests, and how the lists are written into them."""

import os
import re

LAWS = "Documentation/Internals/Laws.md"
STANDARDS = "Documentation/Internals/Standards.md"
APPS = "Documentation/Internals/Apps.md"
COMPLAINTS = {"supabase": "Tests/Complaints/Supabase.md", "clerk": "Tests/Complaints/Clerk.md"}
# A test as a cell of a table has it: a link, and in some pages what runs it.
LINK = re.compile(r'\["(?:[^"\]]|"(?!\]))*"\]\([^)]*\.swift\)(?: `[\w/]+`)?')
HEADING = re.compile(r"## (\d+)\. ")
ROW = re.compile(r"\| (\w+) \|")


def by_place(tests):
    return sorted(tests, key=lambda test: (test.path, test.line))


def link(test, page, runs):
    path = os.path.relpath(test.path, os.path.dirname(page))
    return f'["{test.name}"]({path})' + (f" `{test.runs}`" if runs else "")


def wrapped(words, start):
    """Lines of at most 128 characters."""
    lines = [start]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > 128:
            lines.append(word)
        else:
            lines[-1] += " " + word
    return lines


def laws(text, tests, mutants, problems):
    """The page of the laws: under each the tests that prove it and the mutants that break it."""
    out, law, known = [], None, set()
    for line in text.split("\n"):
        heading = HEADING.match(line)
        if heading or line.startswith("## "):
            law = int(heading[1]) if heading else None
            known.add(law)
        if law and (line.startswith('- "') or re.match(r"(Broken by )?`law-", line)):
            kind = "tests" if line.startswith("-") else "mutants"
            if (law, kind) not in known:
                known.add((law, kind))
                out += lists(law, kind, tests, mutants)
            continue
        out.append(counterexample(line, tests, mutants, problems) if law is None else line)
    for number in sorted(number for number in known if isinstance(number, int)):
        for kind in ("tests", "mutants"):
            if (number, kind) not in known or not lists(number, kind, tests, mutants):
                problems.append(f"{LAWS}: law {number} has no {kind}")
    for test in tests:
        for trait, row in test.proofs:
            if trait == "law" and int(row) not in known:
                problems.append(f"{test.place}: there is no law {row}")
    page = "\n".join(out)
    problems += [f"Tests/Mutants/{name}.patch: no law and no row has it" for name in mutants if f"`{name}`" not in page]
    return page


def lists(law, kind, tests, mutants):
    if kind == "tests":
        return [f'- "{test.name}"' for test in by_place(tests) if ("law", str(law)) in test.proofs]
    names = [f"`{name}`" for name in mutants if name.startswith(f"law-{law:02}-")]
    return wrapped([name + "," for name in names[:-1]] + [names[-1] + "."], "Broken by") if names else []


def counterexample(line, tests, mutants, problems):
    """A row of the table of counterexamples: the tests whose names begin with its number."""
    row = re.match(r"\| (D?\d+) \|", line)
    if not row:
        return line
    number = row[1]
    prefix = f"ce-{int(number):02}-" if number.isdigit() else f"ce-{number.lower()}-"
    names = [f'"{test.name}"' for test in by_place(tests) if number in test.counterexamples]
    broken = [f"`{name}`" for name in mutants if name.startswith(prefix)]
    for kind, found in (("test", names), ("mutant", broken)):
        if not found:
            problems.append(f"{LAWS}: counterexample {number} has no {kind}")
    return f"| {number} | {'<br>'.join(names)} | {'<br>'.join(broken)} |"


def rows(page, text, trait, column, runs, tests, problems):
    """A page of tables: in each row, the column of tests. What else the cell says stays behind them."""
    out, known = [], set()
    for line in text.split("\n"):
        row = ROW.match(line)
        if row:
            number = row[1]
            if number in known:
                problems.append(f"{page}: row {number} is there twice")
            known.add(number)
            cells = line.strip().strip("|").split(" | ")
            if len(cells) > column:
                rest = [part for part in cells[column].strip().split("<br>") if part and not LINK.fullmatch(part)]
                links = [link(test, page, runs) for test in by_place(tests) if (trait, number) in test.proofs]
                cells[column] = "<br>".join(links + rest)
                if not cells[column]:
                    problems.append(f"{page}: row {number} has no test, and does not say why")
            line = f"| {' | '.join(cell.strip() for cell in cells)} |"
        out.append(line)
    for test in tests:
        for kind, number in test.proofs:
            if kind == trait and number not in known:
                problems.append(f"{test.place}: {page} has no row {number}")
    return "\n".join(out)


def written(texts, tests, mutants):
    """Each page as it should be, and what is wrong."""
    problems = []
    pages = {LAWS: laws(texts[LAWS], tests, mutants, problems)}
    pages[STANDARDS] = rows(STANDARDS, texts[STANDARDS], "standard", 4, False, tests, problems)
    pages[APPS] = rows(APPS, texts[APPS], "need", 3, True, tests, problems)
    for name, page in COMPLAINTS.items():
        pages[page] = rows(page, texts[page], name, 3, True, tests, problems)
    return pages, problems

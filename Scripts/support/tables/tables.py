"""Writes the lists of tests and mutants into the pages that have them, or compares. See Scripts/verify tables --help."""

import difflib
import os
import sys

import pages
import sources


def main(root, mode, change=lambda files, mutants, texts: None):
    """Compares, writes, or, with a change to what is read, only tells how many pages differ and what is wrong."""
    files = sources.swift_files(root)
    names = os.listdir(os.path.join(root, "Tests/Mutants"))
    mutants = sorted(name.removesuffix(".patch") for name in names if name.endswith(".patch"))
    places = [pages.LAWS, pages.STANDARDS, pages.APPS, *pages.COMPLAINTS.values()]
    texts = {}
    for place in places:
        with open(os.path.join(root, place), encoding="utf-8") as file:
            texts[place] = file.read()
    change(files, mutants, texts)
    tests, problems = [], []
    for path, text in sorted(files.items()):
        found, stray = sources.read(path, text)
        tests += [test for test in found if test.proofs or test.counterexamples]
        problems += [f"{path}:{line}: a trait that belongs to no test" for line in stray]
    for test in tests:
        if not test.name:
            problems.append(f"{test.place}: a test that proves something needs a name")
    written, found = pages.written(texts, [test for test in tests if test.name], mutants)
    problems += found
    changed = [place for place in places if written[place] != texts[place]]
    if mode == "prove":
        return len(changed), len(problems)
    for place in changed:
        if mode == "write":
            with open(os.path.join(root, place), "w", encoding="utf-8") as file:
                file.write(written[place])
        else:
            now, then = texts[place].split("\n"), written[place].split("\n")
            print(*(line[:400] for line in difflib.unified_diff(now, then, place, place, n=0, lineterm="")), sep="\n")
    for problem in problems:
        print(problem)
    proofs = sum(len(test.proofs) for test in tests)
    print(f"tests={len(tests)} proofs={proofs} mutants={len(mutants)} changed={len(changed)} wrong={len(problems)}")
    return 1 if problems or (changed and mode != "write") else 0


def prove(root):
    """Puts one mistake at a time into what is read, and expects each to be seen."""
    extra = "Tests/Extra.swift"
    test = 'import Proofs\n@Suite struct Extra {\n    @Test("a new test", %s)\n    func new() {}\n}\n'

    def added(trait):
        return lambda files, mutants, texts: files.update({extra: test % trait})

    def without(trait):
        def change(files, mutants, texts):
            for path in files:
                files[path] = files[path].replace(f".{trait}", ".nothing")

        return change

    def edited(place, old, new):
        return lambda files, mutants, texts: texts.update({place: texts[place].replace(old, new, 1)})

    mistakes = {
        "a test that is not listed yet": added(".law(1)"),
        "a law that there is not": added(".law(99)"),
        "a demand that there is not": added(".standard(999)"),
        "a need that there is not": added('.need("N99")'),
        "a complaint that there is not": added(".complaint(.clerk, 99)"),
        "no test of a need": without('need("N8"'),
        "a law that no mutant breaks": lambda files, mutants, texts: mutants.__setitem__(
            slice(None), [name for name in mutants if not name.startswith("law-01-")]
        ),
        "a mutant of no law": lambda files, mutants, texts: mutants.append("law-99-new"),
        "a mutant that is not listed yet": lambda files, mutants, texts: mutants.append("law-01-new"),
        "a list that was edited by hand": edited(pages.LAWS, '- "', '- "not '),
        "a row that is there twice": edited(pages.STANDARDS, "| 2 |", "| 1 |"),
        "a trait that belongs to no test": lambda files, mutants, texts: files.update(
            {extra: "import Proofs\nlet trait = Proof.law(1)\n"}
        ),
    }
    seen = 0
    for mistake, change in mistakes.items():
        changed, wrong = main(root, "prove", change)
        seen += changed > 0 or wrong > 0
        if not changed and not wrong:
            print(f"not seen: {mistake}")
    print(f"mistakes={len(mistakes)} seen={seen}")
    return 0 if seen == len(mistakes) else 1


if __name__ == "__main__":
    sys.exit(prove(sys.argv[1]) if sys.argv[2] == "prove" else main(sys.argv[1], sys.argv[2]))

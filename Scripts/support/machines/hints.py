"""The commands that errors and hints name: which they are, whether they could do harm, and what comes of typing them."""

import os
import re
import shlex

# What a line of the tool may tell somebody to type.
BEGIN = re.compile(
    r"(?<![\w/.-])(?:env -u \w+ |sudo )?"
    r"(?:latchkey(?! \w+ed\b)|chmod|chown|export|unset|rm|mv|cp|mkdir|kill) (?=[-\w\"'$/])")
CHANGES = ("chmod", "chown", "rm", "mv")
# Words that stand for what only the person knows.
PLACEHOLDERS = {"URL": "{issuer}", "ID": "dev-native", "NAME": "default"}
UNKNOWN = re.compile(r"\b(?:KEY|FILE|FICHIER|DIR|TIME)\b|…")
# After these there is no session, as they say.
LEAVING = re.compile(r"latchkey (?:logout|profiles remove|store wipe)")


def told(ended):
    """The lines in which the tool says what is wrong and what to do."""
    return [line for line in ended.text.splitlines() if re.match(r"(?:latchkey|hint|conseil ): ?", line)]


def is_hint(line):
    return line.startswith(("hint:", "conseil :"))


def commands(line):
    """The commands that a line names."""
    found, place = [], line.index(":") + 1
    while begin := BEGIN.search(line, place):
        words, rest = [], line[begin.start():]
        for word in re.findall(r"(?:'[^']*'|\"\$\([^)]*\)\"|\\.|[^\s'\"»])+[\"»]?", rest):
            bare = word.rstrip(';,."»') if not word.endswith(')"') else word
            words.append(bare)
            if bare != word or is_whole(words):
                break
        found.append(" ".join(words))
        place = begin.start() + len(found[-1])
    return found


def is_whole(words):
    """Whether these words are the whole command, so that the next one is a sentence's."""
    plain = [word for word in words if not word.startswith("-") and word != "sudo"]
    sizes = {"chmod": 3, "chown": 3, "export": 2, "unset": 2, "rm": 2}
    return bool(plain) and len(plain) == sizes.get(plain[0])


def all_commands(ended):
    """The commands that an error and its hint name."""
    return [command for line in told(ended) for command in commands(line)]


def harm(command):
    """Why it would do harm to type this, as far as the words show."""
    try:
        words = shlex.split(command)
    except ValueError:
        return "is no line of a shell"
    words = [word for word in words if word != "sudo"]
    if words[0] in CHANGES:
        paths = [word for word in words[1:] if "/" in word]
        outside = [path for path in paths if "latchkey" not in os.path.normpath(path).split("/")]
        if outside or not paths:
            return f"would change {outside[0] if outside else 'something'} outside the project's own folders"
    return None


def filled(command, machine):
    """The command as somebody types it who knows what stands for the placeholders; nothing if that cannot be known."""
    if UNKNOWN.search(command) or command.startswith("sudo"):
        return None
    for name, value in PLACEHOLDERS.items():
        command = re.sub(rf"\b{name}\b", value.replace("{issuer}", machine.issuer), command)
    return command


class Typed:
    """A command of a hint that was typed on a machine of the same kind, where the same command had failed."""

    def __init__(self, machine, failed, command):
        words = [machine.filled(word) for word in machine.words(failed)]
        self.line = filled(command, machine)
        if self.line is None:
            return
        self.ended = machine.types(f'{self.line}; echo "[typed $?]" >&2; exec latchkey {shlex.join(words)}')
        status = re.search(r"\[typed (\d+)\]", self.ended.text)
        self.status = int(status[1]) if status else None
        self.is_mended = self.ended.status == 0

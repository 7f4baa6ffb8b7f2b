"""What a terminal shows after a program has written to it, as lines of text."""

import codecs
import re

# Colours, and whatever else begins with an escape character (ECMA-48): it moves no text here, except for what _control does.
SEQUENCE = re.compile(r"\x1b(?:\[([0-9;?]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
# A sequence whose end has not arrived yet.
BEGUN = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*|\][^\x07\x1b]*\x1b?|[ -/]*)?$")


class Screen:
    """Lines without a right edge: what a person copies out of a terminal has no line ends where the window was too narrow."""

    def __init__(self):
        self.lines, self.row, self.column = [[]], 0, 0
        self._decoder, self._rest = codecs.getincrementaldecoder("utf-8")("replace"), ""

    def write(self, data):
        text = self._rest + self._decoder.decode(data)
        begun = BEGUN.search(text)
        text, self._rest = (text[:begun.start()], begun[0]) if begun else (text, "")
        place = 0
        for sequence in SEQUENCE.finditer(text):
            self._print(text[place:sequence.start()])
            self._control(sequence[1] or "", sequence[2])
            place = sequence.end()
        self._print(text[place:])

    @property
    def text(self):
        """The lines as they are now, without blanks at their ends and without empty lines at the end."""
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip("\n")

    def _print(self, text):
        for character in text:
            if character == "\n":
                self.row, self.column = self.row + 1, 0
                if self.row == len(self.lines):
                    self.lines.append([])
            elif character == "\r":
                self.column = 0
            elif character == "\b":
                self.column = max(0, self.column - 1)
            elif character >= " " and character != "\x7f":
                line = self.lines[self.row]
                line += " " * (self.column + 1 - len(line))
                line[self.column] = character
                self.column += 1

    def _control(self, numbers, final):
        line, first = self.lines[self.row], int(numbers) if numbers.isdigit() else 0
        if final == "K":
            if first == 0:
                del line[self.column:]
            else:
                line[:self.column + 1 if first == 1 else None] = " " * (self.column + 1 if first == 1 else 0)
        elif final == "A":
            self.row = max(0, self.row - max(1, first))
        elif final == "G":
            self.column = max(0, first - 1)
        elif final == "J" and first == 0:
            del line[self.column:], self.lines[self.row + 1:]

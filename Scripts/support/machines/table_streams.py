"""Streams that are closed or broken, and terminals."""

from environment import Environment, Says, each, refused

NO_OUTPUT = each(refused(1, "(?i)output|I/O error"))
STREAMS = [
    Environment("standard input is closed", redirect="0<&-"),
    Environment("standard output is closed", redirect="1>&-", says=NO_OUTPUT),
    Environment("standard error is closed", redirect="2>&-"),
    Environment("standard input and output are closed", redirect="0<&- 1>&-", says=NO_OUTPUT),
    Environment("all three are closed", redirect="0<&- 1>&- 2>&-", says=each(Says((0, 1), is_heard=False)), without=Says(
        (1, 3), is_heard=False)),
    Environment("standard output is /dev/full", redirect="> /dev/full", says=NO_OUTPUT),
    Environment("standard error is /dev/full", redirect="2> /dev/full"),
    Environment("standard output is a pipe that nobody reads", redirect="> >(exec true)", says=each(Says(
        (0, 1, 141), is_heard=False))),
    Environment("standard input is a folder", redirect="< /"),
    Environment("standard input is open for writing alone", redirect="0> /dev/null"),
]

TERMINALS = [
    Environment("a terminal", terminal="front"),
    Environment("a job in the background of a terminal", terminal="back"),
    Environment("TERM=dumb", terminal="front", ill={"TERM": "dumb"}),
    Environment("a terminal of an unknown kind", terminal="front", ill={"TERM": "kaypro-9000"}),
    Environment("a terminal without TERM", terminal="front"),
    Environment("NO_COLOR at a terminal", terminal="front", ill={"TERM": "xterm-256color", "NO_COLOR": "1"}),
    Environment("a terminal without a size", terminal="front", lines="stty cols 0 rows 0"),
    Environment("a terminal of five columns", terminal="front", lines="stty cols 5 rows 2"),
    Environment("a terminal in raw mode", terminal="front", lines="stty raw -echo"),
    Environment("a terminal whose device another user owns", terminal="front", root="chown 0 /dev/pts/* 2> /dev/null || true\n"),
]

ALL = STREAMS + TERMINALS

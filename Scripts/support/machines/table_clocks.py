"""Clocks: wrong, standing still, stepping, and those of a time namespace. None of them costs a session."""

import time

from environment import Environment

DAY = 86_400
def clock(words, name, **options):
    return Environment(name, ill={"LD_PRELOAD": "{bin}/clock.so", "MACHINE_CLOCK": words}, **options)


CLOCKS = [
    clock("30", "a clock that is 30 s fast"),
    clock("-30", "a clock that is 30 s slow"),
    clock(str(DAY), "a clock that is a day fast"),
    clock(str(-DAY), "a clock that is a day slow"),
    clock("at 0", "a clock at 1970"),
    clock("at 951782400", "a clock at the 29th of February 2000"),
    clock("at 2147483650", "a clock after January 2038"),
    clock("at 253402300800", "a clock in the year 10000"),
    clock(f"at {int(time.time())}", "a clock that stands still"),
    clock("steps 3600", "a clock that steps an hour forward"),
    clock("steps -3600", "a clock that steps an hour back"),
    Environment("a time namespace, a day after the start", unshare=(
        "--time", f"--boottime={DAY}", f"--monotonic={DAY}", "--fork")),
    Environment("a time namespace, 400 days after the start", unshare=(
        "--time", f"--boottime={400 * DAY}", f"--monotonic={400 * DAY}", "--fork")),
    Environment("a time zone that is not there", ill={"TZ": "Mars/Olympus_Mons"}),
    Environment("a time zone of 14 hours", ill={"TZ": "XXX-14"}),
    Environment("leap seconds in the time zone", ill={"TZ": "right/UTC"}),
]

"""All environments, by what is otherwise than on our machine."""

from table_homes import HOMES

ENVIRONMENTS = HOMES
NAMES = [case.name for case in ENVIRONMENTS]
assert len(NAMES) == len(set(NAMES)), "each environment has a name of its own"

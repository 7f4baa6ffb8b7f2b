"""All environments, by what is otherwise than on our machine."""

from table_disks import DISKS
from table_folders import FOLDERS
from table_homes import HOMES
from table_volumes import ALL as VOLUMES

ENVIRONMENTS = HOMES + FOLDERS + VOLUMES + DISKS
NAMES = [case.name for case in ENVIRONMENTS]
assert len(NAMES) == len(set(NAMES)), "each environment has a name of its own"

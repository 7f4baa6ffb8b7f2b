"""All environments, by what is otherwise than on our machine."""

from table_clocks import CLOCKS
from table_disks import DISKS
from table_folders import FOLDERS
from table_homes import HOMES
from table_networks import NETWORKS
from table_streams import ALL as STREAMS
from table_system import ALL as SYSTEM
from table_volumes import ALL as VOLUMES

ENVIRONMENTS = HOMES + FOLDERS + VOLUMES + DISKS + SYSTEM + STREAMS + CLOCKS + NETWORKS
NAMES = [case.name for case in ENVIRONMENTS]
assert len(NAMES) == len(set(NAMES)), "each environment has a name of its own"

"""The libraries that are loaded before the C library: calls that fail, and another time of day."""

import os
import subprocess

HERE = os.path.dirname(os.path.realpath(__file__))


def build(folder):
    """Compiles them into a folder that every user may read."""
    for name in ("files", "clock"):
        path = os.path.join(folder, name + ".so")
        source = os.path.join(HERE, name + ".c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", path, source, "-ldl"], check=True)
        os.chmod(path, 0o755)

"""What an environment may do to a machine: modes, owners, links, files, mounts, full disks. Each change can be taken back."""

import os
import re
import subprocess


class Changes:
    """Changes of a machine with `folder`, `home`, `user`, `group`; `undo` takes back what came after the first `built`."""

    def path(self, name):
        """A path below the home, or from the root."""
        return name if name.startswith("/") else os.path.join(self.home, name)

    def own(self, name, mode=0o700, user=None, group=None):
        """A folder below the machine's own, and those above it, of the user."""
        path = os.path.join(self.folder, name)
        os.makedirs(path, exist_ok=True)
        self.give(path, mode, user, group)
        return path

    def give(self, path, mode, user=None, group=None):
        user = self.user if user is None else user
        os.chown(path, user, (self.group if user == self.user else user) if group is None else group)
        os.chmod(path, mode)

    def folders(self, name, mode=0o755):
        """Makes a folder below the home as the user's own programs would; it stays."""
        path = self.home
        for part in name.split("/"):
            path = os.path.normpath(os.path.join(path, part))
            if not os.path.isdir(path):
                os.mkdir(path)
                self.give(path, mode)
        return path

    def mode(self, name, mode, user=None, group=None):
        """Gives a file or folder another mode, and perhaps another owner."""
        path = self.path(name)
        old = os.stat(path)

        def back():
            os.chown(path, old.st_uid, old.st_gid)
            os.chmod(path, old.st_mode & 0o7777)
        self.undo.append(("mode", back))
        os.chown(path, old.st_uid if user is None else user, old.st_gid if group is None else group)
        os.chmod(path, mode)

    def mount(self, name, *options):
        """Mounts something there, for the user."""
        path = self.path(name)
        subprocess.run(["mount", *options, path], check=True, capture_output=True)
        self.undo.append(("mount", lambda: subprocess.run(["umount", "--lazy", path], check=False, capture_output=True)))
        return path

    def disk(self, name, options):
        """A disk of its own in place of a folder of the home, for good: its size and inodes are of the test's choice."""
        path = self.folders(name)
        self.mount(path, "-t", "tmpfs", "-o", f"{options},mode=0700,uid={self.user},gid={self.group}", "tmpfs")
        return path

    def fill(self, name, leave=0):
        """Fills a disk, up to so many bytes."""
        path = os.path.join(self.path(name), "filler")
        with open(path, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass
            if leave:
                file.truncate(max(0, file.tell() - leave))
        self.undo.append(("fill", lambda: os.path.exists(path) and os.remove(path)))

    def aside(self, path):
        """Takes a file away while the machine is ill: its path."""
        os.rename(path, path + ".aside")
        self.undo.append(("aside", lambda: os.replace(path + ".aside", path)))
        return path

    def link(self, name, target):
        """A link that is there while the machine is ill."""
        path = self.path(name)
        os.symlink(target, path)
        self.undo.append(("link", lambda: os.path.islink(path) and os.remove(path)))
        return path

    def put(self, name, content, mode=0o600, user=None, group=None):
        """A file that is there while the machine is ill."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        self.give(path, mode, user, group)
        self.undo.append(("put", lambda: os.path.lexists(path) and os.remove(path)))
        return path

    def records(self, pattern=r"credential"):
        """The files of the stored session."""
        return [os.path.join(at, name) for at, _, names in os.walk(self.folder) for name in names
                if re.match(pattern, name) and name.endswith(".record")]

    def relieve(self):
        """Makes the machine well while a command waits for it, as a person does who is told what is wrong."""
        if self.is_ill:
            self.put(self.folder + "/mended", "", 0o644)
            mended = self.undo.pop()
            while len(self.undo) > self.built:
                self.undo.pop()[1]()
            self.undo.append(mended)

"""Prints a token that is valid now: authlib_token.py FILE ENDPOINT CLIENT [--force].

What a careful program with Authlib does: the token is in a file, a lock on a second file lets one process refresh, and the
others read what it stored. Run by a Python that has Authlib.
"""

import fcntl
import json
import os
import sys
import time

from authlib.integrations.requests_client import OAuth2Session


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def store(path, token):
    """Replaces the file as a whole, and returns when it is on the disk."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(token, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def is_good(token):
    return token["expires_at"] > time.time()


def main(path, endpoint, client, is_forced):
    token = read(path)
    if is_forced or not is_good(token):
        with open(path + ".lock", "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            token = read(path)
            if is_forced or not is_good(token):
                session = OAuth2Session(client, token=token, token_endpoint_auth_method="none")
                session.trust_env = False
                token = dict(session.refresh_token(endpoint, refresh_token=token["refresh_token"]))
                store(path, token)
    print(token["access_token"])


main(*sys.argv[1:4], is_forced="--force" in sys.argv[4:])

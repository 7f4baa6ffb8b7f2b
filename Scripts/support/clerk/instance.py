"""A Clerk instance of the dev server, with some of its switches on."""

import base64
import hashlib
import hmac
import json
import struct
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect())


class Instance:
    """Runs until it is left."""

    def __init__(self, tool, settings, environment):
        words = [word for name in settings for word in ("--clerk-setting", name)]
        self.process = subprocess.Popen(
            [tool, "dev-server", "--json", *words], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.settings = set(settings)
        told = json.loads(self.process.stdout.readline())
        self.origin = told["issuer"]
        self.words = ["--clerk", told["clerk"]["publishableKey"], "--proxy-url", told["clerk"]["proxyUrl"]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def has(self, *settings):
        return bool(self.settings.intersection(settings))

    def message(self, address, part):
        """What the last message to a person has as `part`; nothing if there is none."""
        with OPENER.open(f"{self.origin}/inbox.json?to={urllib.parse.quote(address)}") as answer:
            found = [message[part] for message in json.load(answer)["messages"] if message.get(part)]
        return found[-1] if found else None

    def browse(self, url, redirect):
        """Where a browser that begins at `url` ends; nothing if it stays at the service."""
        for _ in range(10):
            if url.startswith(redirect):
                return url
            try:
                with OPENER.open(url):
                    return None
            except urllib.error.HTTPError as answer:
                location = answer.headers.get("Location")
                if not location:
                    return None
                url = urllib.parse.urljoin(url, location)
        return None


def shown(key):
    """What an authenticator app with this key shows (RFC 6238)."""
    digest = hmac.new(base64.b32decode(key), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"

"""Apache with mod_auth_openidc at the development server: a site whose pages need a sign-in."""

import json
import os
import pwd
import shutil
import tempfile
import time
import urllib.parse

from person import Person
from programs import PATIENCE, Missing, text

MODULES = "/usr/lib/apache2/modules"
# Of the seconds that an access token lasts, those at whose beginning the module refreshes it.
AHEAD = 299

CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/httpd.pid
ErrorLog {folder}/error.log
DocumentRoot {folder}/site
StartServers 1
{modules}
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client}
OIDCClientSecret {secret}
OIDCRedirectURI {redirect}
OIDCCryptoPassphrase "only for a check on loopback"
OIDCPKCEMethod S256
OIDCScope "openid profile email offline_access"
OIDCRemoteUserClaim email
OIDCRefreshAccessTokenBeforeExpiry {ahead} logout_on_error
OIDCInfoHook access_token access_token_expires id_token userinfo refresh_token
<Directory {folder}/site>
    Options +Includes
    SetOutputFilter INCLUDES
    Require all granted
</Directory>
<Location /protected>
    AuthType openid-connect
    Require valid-user
</Location>
"""

PAGE = 'hello <!--#echo var="REMOTE_USER" -->, <!--#echo var="OIDC_CLAIM_name" -->\n'


class Site:
    """The web server, and a person who visits it."""

    def __init__(self, programs, port, server):
        binary = shutil.which("apache2", path=os.environ["PATH"] + ":/usr/sbin")
        if not binary or not os.path.exists(f"{MODULES}/mod_auth_openidc.so"):
            raise Missing("Apache with mod_auth_openidc is missing")
        self.server, self.origin = server, f"http://127.0.0.1:{port}"
        self.redirect = self.origin + "/protected/callback"
        # Apache needs no rights, so that root gives them up; the files are in a folder of their own, which that user can read.
        self.folder = tempfile.mkdtemp(prefix="latchkey-httpd-")
        user = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam("nobody")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self.write(port, next(client for client in server.about["clients"] if client["clientId"] == "dev-agent"))
        self.process = programs.start(
            [binary, "-X", "-f", f"{self.folder}/httpd.conf"], "httpd", cwd=self.folder, **user)
        try:
            self.wait()
        except RuntimeError:
            self.remove()
            raise

    def write(self, port, client):
        names = ["mpm_event", "authn_core", "authz_core", "authz_user", "include", "auth_openidc"]
        modules = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in names)
        with open(f"{self.folder}/httpd.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(
                folder=self.folder, port=port, modules=modules, issuer=self.server.issuer, client=client["clientId"],
                secret=client["secret"], redirect=self.redirect, ahead=AHEAD))
        os.makedirs(f"{self.folder}/site/protected")
        for name in ("protected/index.html", "goodbye.html"):
            with open(f"{self.folder}/site/{name}", "w", encoding="utf-8") as file:
                file.write(PAGE)

    def wait(self):
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                if Person().open(self.origin + "/goodbye.html")[0] == 200:
                    return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > limit:
                    raise RuntimeError(f"Apache does not start: {text(self.process)}{self.log()}") from None
            time.sleep(0.05)

    def log(self):
        path = f"{self.folder}/error.log"
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()[-2000:]

    def remove(self):
        """Ends the server, and takes its files away."""
        self.process.terminate()
        self.process.wait(PATIENCE)
        shutil.rmtree(self.folder)

    def info(self, person):
        """What the module keeps for the session, by its own page."""
        status, body = person.open(f"{self.redirect}?info=json")
        if status != 200:
            raise RuntimeError(f"the module's own page answers {status}")
        return json.loads(body)


class SiteWalk:
    """What a person does at the site, in this order; each method is a step that raises what went wrong."""

    def __init__(self, site, server):
        self.site, self.server, user = site, server, server.about["users"][0]
        self.person = Person(user["name"], user["password"])

    def login(self):
        """Opens the protected page, signs in at the server, and is back there, with claims."""
        status, page = self.person.sign_in(self.site.origin + "/protected/index.html")
        if status != 200 or page != "hello ada@example.test, Ada Lovelace\n":
            raise RuntimeError(f"the page at {self.person.address} answers {status}: {page}{self.site.log()}")
        kept = self.site.info(self.person)
        if not kept["refresh_token"] or kept["userinfo"]["given_name"] != "Ada":
            raise RuntimeError(f"the session has {sorted(kept)}")

    def refresh(self):
        """The module refreshes by itself before the token ends, and once more because it is asked to."""
        before, asked = self.site.info(self.person), len(self.server.refreshes())
        # The module counts in whole seconds.
        time.sleep(max(0, int(before["access_token_expires"]) - AHEAD - time.time()) + 1.1)
        self.person.open(self.site.origin + "/protected/index.html")
        first = self.site.info(self.person)
        query = {"refresh": self.site.origin + "/goodbye.html", "access_token": first["access_token"]}
        status, _ = self.person.open(f"{self.site.redirect}?{urllib.parse.urlencode(query)}")
        second = self.site.info(self.person)
        answers = self.server.refreshes()[asked:]
        tokens = {kept["refresh_token"] for kept in (before, first, second)}
        if status != 200 or "error" in self.person.address or len(tokens) != 3 or set(answers) != {"ok"}:
            raise RuntimeError(
                f"{len(tokens)} refresh tokens, the server answered {answers}; {self.person.address}{self.site.log()}")

    def logout(self):
        """Signs out: the server revokes the tokens, and the page is protected again."""
        query = urllib.parse.urlencode({"logout": self.site.origin + "/goodbye.html"})
        status, _ = self.person.open(f"{self.site.redirect}?{query}")
        seen = [entry["outcome"] for entry in self.server.control("log")["entries"] if entry["endpoint"] == "revocation"]
        if status != 200 or not seen or set(seen) != {"ok"}:
            raise RuntimeError(f"the page answers {status}; the revocations: {seen}")
        self.person.open(self.site.origin + "/protected/index.html")
        if not self.person.address.startswith(self.server.issuer):
            raise RuntimeError(f"the page is still open: {self.person.address}")

    def denied(self):
        """The person says no, and the site stays closed. The module says so in words that do not fit: it takes an error
        that names its issuer (RFC 9207) for a sign-in that somebody else began."""
        stranger = Person(self.person.name, self.person.password, says_yes=False)
        _, page = stranger.sign_in(self.site.origin + "/protected/index.html")
        if "error=access_denied" not in stranger.address or "hello" in page:
            raise RuntimeError(f"the page at {stranger.address} says {page}")
        if stranger.open(f"{self.site.redirect}?info=json")[0] != 401:
            raise RuntimeError("somebody is signed in")

    STEPS = [login, refresh, logout, denied]

"""What a program does with supabase-py at a project, step by step: supabase_steps.py ABOUT, with what dev-server printed.

Run by a Python that has supabase-py. Prints a line for each step that went otherwise, and last how many there were.
"""

import base64
import hashlib
import hmac
import json
import struct
import sys
import time
import urllib.request

from supabase import AuthApiError, ClientOptions, create_client

about = json.loads(sys.argv[1])
url, publishable, secret = (about["supabase"][name] for name in ("url", "publishableKey", "secretKey"))
PASSWORD, REDIRECT = "correct horse 7", "http://127.0.0.1:9/callback"


class NotAsked(Exception):
    """A step went on without what it should have brought."""


def client(key):
    # With PKCE, which keeps its verifier until the browser comes back; and no thread that refreshes by itself.
    return create_client(url, key, ClientOptions(auto_refresh_token=False, flow_type="pkce")).auth


def control(path, body=None):
    request = urllib.request.Request(
        f"{about['issuer']}/control/{path}", data=None if body is None else json.dumps(body).encode(),
        headers={"X-Latchkey-Control": "1"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def mail(to, kind):
    """The newest message of a kind to somebody."""
    found = [message for message in control(f"inbox?to={to}")["messages"] if message["type"] == kind]
    if not found:
        raise NotAsked(f"no mail of the kind {kind} came to {to}")
    return found[-1]


def one_time_code(key):
    """What an authenticator app shows now (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.new(base64.b32decode(key + "=" * (-len(key) % 8)), counter, hashlib.sha1).digest()
    return f"{(struct.unpack_from('>I', digest, digest[-1] & 15)[0] & 0x7FFFFFFF) % 1_000_000:06}"


def must(condition, what):
    if not condition:
        raise NotAsked(what)


def refused(status, code, call, *arguments):
    """Calls what the service has to refuse, in these words."""
    try:
        call(*arguments)
    except AuthApiError as error:
        must((error.status, error.code) == (status, code), f"refused with {error.status} {error.code}")
    else:
        raise NotAsked("it is not refused")


class Person:
    """Somebody with an app: signs up, in and out, by all that needs no browser but one."""

    def __init__(self):
        self.auth = client(publishable)

    def sign_up(self):
        answer = self.auth.sign_up({"email": "eve@example.test", "password": PASSWORD, "options": {"data": {"pet": "cat"}}})
        must(answer.session is None and answer.user.email == "eve@example.test", "a session before the mail was read")

    def sign_up_again_by_resend(self):
        self.auth.resend({"type": "signup", "email": "eve@example.test"})

    def verify_sign_up(self):
        code = mail("eve@example.test", "signup")["code"]
        answer = self.auth.verify_otp({"type": "signup", "email": "eve@example.test", "token": code})
        must(answer.session and answer.user.user_metadata["pet"] == "cat", "no session")

    def sign_in_with_password(self):
        answer = self.auth.sign_in_with_password({"email": "eve@example.test", "password": PASSWORD})
        must(answer.session.token_type == "bearer", "no session")

    def wrong_password_is_refused(self):
        wrong = {"email": "eve@example.test", "password": "another"}
        refused(400, "invalid_credentials", client(publishable).sign_in_with_password, wrong)

    def get_user(self):
        must(self.auth.get_user().user.email == "eve@example.test", "another user")

    def get_claims(self):
        must(self.auth.get_claims()["claims"]["role"] == "authenticated", "another role")

    def refresh_session(self):
        before = self.auth.get_session().refresh_token
        after = self.auth.refresh_session().session.refresh_token
        must(before != after, "the refresh token does not rotate")

    def update_user(self):
        answer = self.auth.update_user({"data": {"pet": "dog"}})
        must(answer.user.user_metadata["pet"] == "dog", "not changed")

    def update_password(self):
        self.auth.update_user({"password": PASSWORD + "!"})
        client(publishable).sign_in_with_password({"email": "eve@example.test", "password": PASSWORD + "!"})

    def reauthenticate(self):
        self.auth.reauthenticate()
        mail("eve@example.test", "reauthentication")

    def mfa_enroll(self):
        self.factor = self.auth.mfa.enroll({"factor_type": "totp", "friendly_name": "phone"})
        must(self.factor.totp.secret in self.factor.totp.uri, "no secret")

    def mfa_wrong_code_is_refused(self):
        challenge = self.auth.mfa.challenge({"factor_id": self.factor.id})
        wrong = f"{(int(one_time_code(self.factor.totp.secret)) + 1) % 1_000_000:06}"
        verification = {"factor_id": self.factor.id, "challenge_id": challenge.id, "code": wrong}
        refused(422, "mfa_verification_failed", self.auth.mfa.verify, verification)

    def mfa_verify(self):
        challenge = self.auth.mfa.challenge({"factor_id": self.factor.id})
        code = one_time_code(self.factor.totp.secret)
        self.auth.mfa.verify({"factor_id": self.factor.id, "challenge_id": challenge.id, "code": code})
        level = self.auth.mfa.get_authenticator_assurance_level()
        must(level.current_level == "aal2", f"the level is {level.current_level}")

    def mfa_list_factors(self):
        must([factor.id for factor in self.auth.mfa.list_factors().totp] == [self.factor.id], "other factors")

    def mfa_unenroll(self):
        self.auth.mfa.unenroll({"factor_id": self.factor.id})
        must(not self.auth.mfa.list_factors().all, "the factor is still there")

    def update_email(self):
        self.auth.update_user({"email": "eve2@example.test"}, {"email_redirect_to": REDIRECT})
        must(self.auth.get_user().user.new_email == "eve2@example.test", "no change is under way")

    def sign_out(self):
        token = self.auth.get_session().access_token
        self.auth.sign_out()
        must(self.auth.get_session() is None, "still signed in")
        refused(403, "session_not_found", self.auth.get_user, token)

    def sign_in_with_otp(self):
        self.auth.sign_in_with_otp({"email": "bob@example.test", "options": {"email_redirect_to": REDIRECT}})

    def wrong_otp_is_refused(self):
        wrong = {"type": "email", "email": "bob@example.test", "token": "000000"}
        refused(403, "otp_expired", self.auth.verify_otp, wrong)

    def verify_otp(self):
        code = mail("bob@example.test", "signup")["code"]
        must(self.auth.verify_otp({"type": "email", "email": "bob@example.test", "token": code}).session, "no session")

    def otp_for_nobody_is_refused(self):
        nobody = {"email": "nobody@example.test", "options": {"should_create_user": False}}
        refused(422, "otp_disabled", self.auth.sign_in_with_otp, nobody)

    def reset_password(self):
        self.auth.reset_password_for_email("bob@example.test", {"redirect_to": REDIRECT})
        code = mail("bob@example.test", "recovery")["code"]
        self.auth.verify_otp({"type": "recovery", "email": "bob@example.test", "token": code})
        self.auth.update_user({"password": PASSWORD})

    def sign_in_with_oauth(self):
        address = self.auth.sign_in_with_oauth({"provider": "github", "options": {"redirect_to": REDIRECT}}).url
        code = browse(address, REDIRECT)
        answer = self.auth.exchange_code_for_session({"auth_code": code, "redirect_to": REDIRECT})
        must(answer.user.app_metadata["provider"] == "github", "another provider")

    def get_user_identities(self):
        must([one.provider for one in self.auth.get_user_identities().identities] == ["github"], "other identities")

    def sign_in_anonymously(self):
        must(self.auth.sign_in_anonymously().user.is_anonymous, "not a guest")


class Arrived(Exception):
    """The browser was sent to the app."""


def browse(address, redirect):
    """Opens an address, and follows where it is sent: the code that comes back."""

    class Handler(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, request, answer, status, text, fields, new):
            if new.startswith(redirect):
                raise Arrived(new)
            return super().redirect_request(request, answer, status, text, fields, new)

    try:
        urllib.request.build_opener(Handler).open(address, timeout=10).close()
    except Arrived as arrived:
        return dict(pair.split("=", 1) for pair in str(arrived).split("?", 1)[1].split("&"))["code"]
    raise NotAsked("the browser does not come back")


class Administrator:
    """The project's own server, with its secret key."""

    def __init__(self):
        self.admin = client(secret).admin

    def create_user(self):
        attributes = {"email": "carol@example.test", "password": PASSWORD, "email_confirm": True, "app_metadata": {"plan": "x"}}
        self.user = self.admin.create_user(attributes).user
        must(self.user.email_confirmed_at, "not confirmed")

    def list_users(self):
        must(self.user.id in [user.id for user in self.admin.list_users(page=1, per_page=100)], "not in the list")

    def get_user_by_id(self):
        must(self.admin.get_user_by_id(self.user.id).user.app_metadata["plan"] == "x", "another user")

    def update_user_by_id(self):
        changed = self.admin.update_user_by_id(self.user.id, {"user_metadata": {"pet": "bird"}, "ban_duration": "none"})
        must(changed.user.user_metadata["pet"] == "bird", "not changed")

    def created_user_signs_in(self):
        self.auth = client(publishable)
        self.auth.sign_in_with_password({"email": "carol@example.test", "password": PASSWORD})

    def mfa_list_and_delete_factors(self):
        enrolled = self.auth.mfa.enroll({"factor_type": "totp", "friendly_name": "phone"})
        listed = self.admin.mfa.list_factors({"user_id": self.user.id})
        must([factor.id for factor in getattr(listed, "factors", listed)] == [enrolled.id], "other factors")
        self.admin.mfa.delete_factor({"user_id": self.user.id, "id": enrolled.id})

    def sign_out(self):
        token = self.auth.get_session().access_token
        self.admin.sign_out(token)
        refused(403, "session_not_found", self.auth.get_user, token)

    def invite_user_by_email(self):
        self.admin.invite_user_by_email("dora@example.test", {"redirect_to": REDIRECT})
        token_hash = mail("dora@example.test", "invite")["tokenHash"]
        must(client(publishable).verify_otp({"type": "invite", "token_hash": token_hash}).session, "no session")

    def generate_link(self):
        for kind in ("magiclink", "recovery"):
            link = self.admin.generate_link({"type": kind, "email": "carol@example.test", "options": {"redirect_to": REDIRECT}})
            token_hash = link.properties.hashed_token
            must(client(publishable).verify_otp({"type": kind, "token_hash": token_hash}).session, f"no session by {kind}")

    def secret_key_is_nobodys_token(self):
        refused(403, "bad_jwt", client(secret).get_user, secret)

    def delete_user(self):
        self.admin.delete_user(self.user.id)
        refused(404, "user_not_found", self.admin.get_user_by_id, self.user.id)


class Impostor:
    """Somebody with the publishable key alone, at the administrator's door: judged as the role of that key."""

    def __init__(self):
        self.auth = client(publishable)
        self.admin = self.auth.admin
        self.id = "00000000-0000-4000-8000-000000000000"

    def not_admin(self, call, *arguments):
        refused(403, "not_admin", call, *arguments)

    def create_user(self):
        self.not_admin(self.admin.create_user, {"email": "mallory@example.test"})

    def list_users(self):
        self.not_admin(self.admin.list_users)

    def get_user_by_id(self):
        self.not_admin(self.admin.get_user_by_id, self.id)

    def update_user_by_id(self):
        self.not_admin(self.admin.update_user_by_id, self.id, {"role": "service_role"})

    def invite_user_by_email(self):
        self.not_admin(self.admin.invite_user_by_email, "mallory@example.test")

    def generate_link(self):
        self.not_admin(self.admin.generate_link, {"type": "magiclink", "email": "eve@example.test"})

    def delete_user(self):
        self.not_admin(self.admin.delete_user, self.id)

    def mfa_list_factors(self):
        self.not_admin(self.admin.mfa.list_factors, {"user_id": self.id})

    def publishable_key_is_nobodys_token(self):
        refused(403, "bad_jwt", self.auth.get_user, publishable)


def main():
    # Mails to one person may follow at once: what is checked here is the client.
    control("configure", {"supabase": {"resendGap": 0}})
    steps = ok = 0
    for part in (Person, Administrator, Impostor):
        somebody = part()
        for name in [name for name in vars(part) if not name.startswith("_") and name != "not_admin"]:
            steps += 1
            try:
                getattr(somebody, name)()
                ok += 1
            except Exception as error:
                kind = f"{error.status} {error.code}: " if isinstance(error, AuthApiError) else ""
                print(f"  {part.__name__}.{name}: {type(error).__name__}: {kind}{error}")
    print(f"supabase-py steps={steps} ok={ok}")
    return 0 if ok == steps else 1


sys.exit(main())

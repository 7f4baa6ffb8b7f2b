"""django-allauth's identity provider in one file, for tests on loopback.

Usage: app.py prepare|serve, with the state directory, the port and the lifetime of access tokens in the environment.
"""

import os
import pathlib
import sys

import django
from django.conf import settings

state = pathlib.Path(os.environ["LATCHKEY_SERVER_STATE"])
port = int(os.environ["LATCHKEY_SERVER_PORT"])

apps = ["auth", "contenttypes", "sessions", "messages"]
context = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]

if not settings.configured:
    settings.configure(
        DEBUG=True,
        SECRET_KEY="only for tests on loopback",
        ROOT_URLCONF="app",
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[f"django.contrib.{app}" for app in apps]
        + ["allauth", "allauth.account", "allauth.idp.oidc"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            "allauth.account.middleware.AccountMiddleware",
        ],
        AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
        # Without a timeout and immediate transactions, SQLite answers parallel requests with 500.
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(state / "django.db"),
                "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"},
            }
        },
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": context},
            }
        ],
        ACCOUNT_EMAIL_VERIFICATION="none",
        # A check signs the same person in again and again.
        ACCOUNT_RATE_LIMITS=False,
        IDP_OIDC_RATE_LIMITS=False,
        IDP_OIDC_PRIVATE_KEY=(state / "signing.key").read_text(),
        IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN=int(os.environ["LATCHKEY_SERVER_LIFETIME"]),
        IDP_OIDC_DEVICE_CODE_INTERVAL=1,
    )
if __name__ == "__main__":
    django.setup()

from django.urls import include, path  # noqa: E402

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("", include("allauth.idp.urls")),
]


def prepare():
    """Makes the tables, two people and the clients."""
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    for name in ("user1", "user2"):
        person = User.objects.create_user(name, f"{name}@example.com", "password")
        EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
    scopes = ["openid", "profile", "email"]
    device = "urn:ietf:params:oauth:grant-type:device_code"
    clients = {
        "pub1": ("public", ["authorization_code", "refresh_token"]),
        "dev1": ("public", [device, "refresh_token"]),
        "conf1": ("confidential", ["authorization_code", "refresh_token"]),
    }
    for name, (kind, grants) in clients.items():
        client = Client(id=name, name=name, type=kind)
        client.set_secret("s3cr3t")
        client.set_scopes(scopes)
        client.set_default_scopes(scopes)
        client.set_grant_types(grants)
        client.set_redirect_uris(["http://127.0.0.1/callback"])
        client.save()


def serve():
    """Answers on loopback until it is stopped."""
    from django.core.management import call_command

    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)


if __name__ == "__main__":
    {"prepare": prepare, "serve": serve}[sys.argv[1]]()

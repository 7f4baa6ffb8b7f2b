"""An authorization server of django-oauth-toolkit in one file, for tests on loopback.

Usage: app.py prepare|serve, with the state directory, the port, the grace period, the lifetime of access tokens and the
public origin in the environment.
"""

import os
import pathlib
import sys

import django
from django.conf import settings

state = pathlib.Path(os.environ["LATCHKEY_DJANGO_STATE"])
port = int(os.environ["LATCHKEY_DJANGO_PORT"])
base = os.environ.get("LATCHKEY_DJANGO_PUBLIC", f"http://127.0.0.1:{port}")

apps = ["admin", "auth", "contenttypes", "sessions", "messages"]
context = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]
provider = {
    "OIDC_ENABLED": True,
    "OIDC_RSA_PRIVATE_KEY": (state / "signing.key").read_text(),
    "OIDC_ISS_ENDPOINT": f"{base}/o",
    "PKCE_REQUIRED": True,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": int(os.environ.get("LATCHKEY_DJANGO_GRACE", "0")),
    "ACCESS_TOKEN_EXPIRE_SECONDS": int(os.environ.get("LATCHKEY_DJANGO_LIFETIME", "60")),
    "SCOPES": {name: name for name in ("openid", "profile", "email", "api")},
    "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"],
    "OAUTH_DEVICE_VERIFICATION_URI": f"{base}/o/device/",
}

if not settings.configured:
    settings.configure(
        DEBUG=True,
        SECRET_KEY="only for tests on loopback",
        ROOT_URLCONF="app",
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[f"django.contrib.{app}" for app in apps] + ["oauth2_provider"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
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
        LOGIN_URL="/admin/login/",
        OAUTH2_PROVIDER=provider,
    )
if __name__ == "__main__":
    django.setup()

from django.contrib import admin  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [
    path("admin/", admin.site.urls),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]


def prepare():
    """Makes the tables, one person and the three clients."""
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import get_application_model

    call_command("migrate", verbosity=0)
    person = User.objects.create_superuser("user1", "user1@example.com", "password")
    clients = get_application_model().objects
    clients.create(
        client_id="pub1",
        client_type="public",
        authorization_grant_type="authorization-code",
        redirect_uris="http://127.0.0.1/callback",
        skip_authorization=True,
        algorithm="RS256",
        user=person,
    )
    clients.create(
        client_id="dev1",
        client_type="public",
        authorization_grant_type="urn:ietf:params:oauth:grant-type:device_code",
        user=person,
    )
    clients.create(
        client_id="conf1",
        client_secret="s3cr3t",
        client_type="confidential",
        authorization_grant_type="client-credentials",
        user=person,
    )


def serve():
    """Answers on loopback until it is stopped."""
    from django.core.management import call_command

    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)


if __name__ == "__main__":
    {"prepare": prepare, "serve": serve}[sys.argv[1]]()

"""A web application that signs people in with django-allauth: consumer_app.py FOLDER PORT ISSUER CLIENT SECRET.

Its only page is for people who are signed in, and says what the application knows of them, as JSON.
"""

import json
import sys

import django
from django.conf import settings
from django.http import HttpResponse

folder, port, issuer, client, secret = sys.argv[1:]
apps = ["auth", "contenttypes", "sessions", "messages"]
context = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]
application = {
    "provider_id": "dev", "name": "dev", "client_id": client, "secret": secret,
    "settings": {"server_url": issuer, "fetch_userinfo": True},
}
settings.configure(
    DEBUG=True,
    SECRET_KEY="only for a check on loopback",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["127.0.0.1"],
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[f"django.contrib.{app}" for app in apps]
    + ["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/django.db"}},
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": context},
        }
    ],
    LOGIN_REDIRECT_URL="/",
    ACCOUNT_EMAIL_VERIFICATION="none",
    SOCIALACCOUNT_STORE_TOKENS=True,
    SOCIALACCOUNT_PROVIDERS={
        "openid_connect": {
            "APPS": [application], "OAUTH_PKCE_ENABLED": True,
            "SCOPE": ["openid", "profile", "email", "offline_access"],
        }
    },
)
django.setup()

from django.contrib.auth.decorators import login_required  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.urls import include, path  # noqa: E402


@login_required
def home(request):
    from allauth.socialaccount.models import SocialAccount, SocialToken
    from django.contrib.auth.models import User

    account = SocialAccount.objects.get(user=request.user)
    token = SocialToken.objects.get(account=account)
    known = {
        "email": request.user.email, "subject": account.uid, "people": User.objects.count(),
        "accessToken": token.token, "refreshToken": token.token_secret,
    }
    return HttpResponse(json.dumps(known), content_type="application/json")


urlpatterns = [path("accounts/", include("allauth.urls")), path("", home)]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)

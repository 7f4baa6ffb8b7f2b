"""What stands in token answers, and how they come."""

import dataclasses
import gzip
import urllib.parse

from scenario import OWN, Scenario, github, refused, with_members, without
from wire import Answer

RFC = "https://www.rfc-editor.org/rfc/rfc6749#section-5.1"


def kind(text):
    """The token answer with another Content-Type."""
    return {"token": lambda found, turn: found.with_field("Content-Type", text)}


def bodily(change):
    """The token answer with another body."""
    return {"token": lambda found, turn: dataclasses.replace(found, body=change(found.body))}


def packed(found, turn):
    return dataclasses.replace(found, body=gzip.compress(found.body)).with_field("Content-Encoding", "gzip")


def framed(framing, version="HTTP/1.1"):
    return {"token": lambda found, turn: dataclasses.replace(found, framing=framing, version=version)}


def form_unless_asked(found, turn):
    """Form-encoded, unless the request says that it takes JSON."""
    if "application/json" in turn.request.fields.get("accept", ""):
        return found
    body = urllib.parse.urlencode({"access_token": "a", "token_type": "bearer"}).encode()
    return Answer(200, body, [("Content-Type", "application/x-www-form-urlencoded")])


def said(name, oddity, report, **members):
    """A scenario whose token answers have these members."""
    return Scenario(name, oddity, report, answer=with_members(**members))


TOKENS = [
    said("expires-in-string", "expires_in is a string", github("ramosbugs/oauth2-rs", 151), expires_in="3600"),
    said("expires-in-zero", "expires_in is 0", github("thephpleague/oauth2-client", 606, "pull"), expires_in=0),
    said(
        "expires-in-negative", "expires_in is below 0", github("spring-projects/spring-security", 4810), expires_in=-1
    ),
    said("expires-in-null", "expires_in is null", github("oauthlib/oauthlib", 675, "pull"), expires_in=None),
    said("expires-in-words", "expires_in is no number at all", github("QwenLM/qwen-code", 5355), expires_in="3600abc"),
    said(
        "expires-in-nanoseconds",
        "expires_in is in nanoseconds",
        "recorded: oauth2-proxy/mockoidc e06ed0b7cb7f, code",
        expires_in=3600000000000,
    ),
    Scenario(
        "expires-in-missing",
        "expires_in is missing",
        github("IBM/mcp-context-forge", 4447, "pull"),
        answer=without("expires_in"),
    ),
    said(
        "token-type-lower-case",
        "the token type is bearer",
        github("juanifioren/django-oidc-provider", 413, "pull"),
        token_type="bearer",
    ),
    said(
        "token-type-upper-case",
        "the token type is BEARER",
        github("chentsulin/koa-bearer-token", 4),
        token_type="BEARER",
    ),
    said(
        "token-type-of-a-gateway",
        "the token type is BearerToken",
        "https://docs.apigee.com/api-platform/reference/policies/oauthv2-policy",
        token_type="BearerToken",
    ),
    said("token-type-with-space", "the token type ends in a space", OWN, token_type="bearer "),
    Scenario(
        "token-type-missing",
        "the token type is missing",
        "recorded: @openauthjs/openauth 0.4.3, code",
        answer=without("token_type"),
    ),
    Scenario(
        "token-type-foreign",
        "the token type is mac",
        "https://www.rfc-editor.org/rfc/rfc6749#section-7.1",
        answer=with_members(token_type="mac"),
        login=refused(9, "token type"),
    ),
    said(
        "scope-list",
        "scope is a list",
        github("simpleidserver/SimpleIdServer", 271),
        scope=["openid", "profile", "email"],
    ),
    said("scope-fewer", "fewer scopes are granted than were asked for", RFC, scope="openid"),
    Scenario(
        "token-html-type",
        "the token answer calls itself text/html",
        github("bshaffer/oauth2-demo-php", 11),
        sent=kind("text/html; charset=UTF-8"),
    ),
    Scenario(
        "token-script-type",
        "the token answer calls itself text/javascript",
        github("dart-archive/oauth2", 10),
        sent=kind("text/javascript"),
    ),
    Scenario(
        "token-plain-type",
        "the token answer calls itself text/plain",
        github("oauthjs/koa-oauth-server", 27, "pull"),
        sent=kind("text/plain; charset=utf-8"),
    ),
    Scenario(
        "token-no-type",
        "the token answer has no Content-Type",
        github("spring-attic/spring-security-oauth", 1268),
        sent={"token": lambda found, turn: dataclasses.replace(found, fields=[])},
    ),
    Scenario(
        "token-byte-order-mark",
        "the token answer begins with a byte order mark",
        github("DollhouseMCP/mcp-server", 2520),
        sent=bodily(lambda body: b"\xef\xbb\xbf" + body),
    ),
    Scenario(
        "token-form-unless-asked",
        "the token answer is form-encoded unless JSON is asked for",
        github("preset-io/agor", 2192, "pull"),
        sent={"token": form_unless_asked},
    ),
    Scenario(
        "token-gzip-unasked",
        "every token answer is compressed, asked for or not",
        "recorded: nginx 1.22.1, JSON that is compressed unasked",
        sent={"token": packed},
    ),
    Scenario(
        "token-chunked",
        "the token answer comes in chunks",
        "https://www.rfc-editor.org/rfc/rfc9112#section-7.1",
        sent=framed("chunked"),
    ),
    Scenario(
        "token-http-1.0",
        "the token answer is HTTP/1.0 and ends with the connection",
        "https://www.rfc-editor.org/rfc/rfc9112#section-6.3",
        sent=framed("close", "HTTP/1.0"),
    ),
    said(
        "token-members-beside",
        "the token answer has members of its own",
        "recorded: Keycloak 26.7.3, code",
        **{"not-before-policy": 0, "session_state": "8e1e", "Header": None}
    ),
]

"""Services that speak OAuth without OpenID Connect, or less of either than their clients expect."""

import base64
import urllib.parse

from scenario import OWN, Scenario, refused, with_members, without
from table_devices import PENDING
from wire import Answer, error, page

RFC = "https://www.rfc-editor.org/rfc/rfc8414"
OPENID = ("jwks_uri", "userinfo_endpoint", "subject_types_supported", "id_token_signing_alg_values_supported")
# A secret with characters that RFC 6749, section 2.3.1, encodes.
CODED = "a+b%c:d e"
NAMELESS = refused(0, "a person without a name")


def plain(name, oddity, report, **more):
    """A service whose answers have no ID token."""
    return Scenario(name, oddity, report, claims=lambda claims, turn: None, **{"login": NAMELESS, **more})


def document(turn):
    """The document of RFC 8414, without anything of OpenID Connect."""
    return turn.issuer.document(turn)


def only_scopes(*scopes):
    """Refuses an authorization or device request for any other scope."""

    def choose(turn):
        asked = (turn.request.query or turn.request.form).get("scope", "").split()
        if set(asked) <= set(scopes):
            return None
        if turn.request.method == "POST":
            return error(400, "invalid_scope")
        back = f"{turn.request.query['redirect_uri']}?error=invalid_scope&state={turn.request.query['state']}"
        return Answer(302, b"", [("Location", back)])

    return choose


def demands_proof_key(turn):
    """Refuses a device authorization request without a challenge, in Keycloak's words."""
    if turn.request.form.get("code_challenge_method") == "S256":
        return None
    return error(400, "invalid_request", error_description="Missing parameter: code_challenge_method")


def demands_client_id(turn):
    return None if turn.request.form.get("client_id") else error(401, "invalid_client")


def only_basic(encode):
    """Refuses a client whose Basic is not its id and secret in this encoding."""

    def choose(turn):
        _, _, word = turn.request.fields.get("authorization", "").partition(" ")
        right = f"{encode('tool')}:{encode(CODED)}"
        return None if base64.b64decode(word).decode() == right else error(401, "invalid_client")

    return choose


def only_body(turn):
    return None if turn.request.form.get("client_secret") == CODED else error(401, "invalid_client")


def without_document(turn):
    return page(404)


def checks_verifier(turn):
    """Refuses a poll without a verifier; that it fits is looked at in the project's own tests."""
    if "device_code" in turn.request.form and not turn.request.form.get("code_verifier"):
        return error(400, "invalid_grant", error_description="Expecting parameter code_verifier in PKCE flow.")
    return None


PLAIN = [
    plain(
        "plain-metadata",
        "the only document is RFC 8414's, without keys and scopes",
        "recorded: @modelcontextprotocol/sdk 1.32.2, discovery",
        instead={"discovery": without_document, "metadata": document},
        document=without(*OPENID, "scopes_supported"),
    ),
    plain(
        "plain-metadata-keys",
        "the only document is RFC 8414's, with keys for access tokens",
        "recorded: @openauthjs/openauth 0.4.3, discovery",
        instead={"discovery": without_document, "metadata": document},
        document=without(*OPENID[1:], "scopes_supported"),
    ),
    plain(
        "plain-scopes",
        "the scopes are listed, and openid is not among them",
        RFC + "#section-2",
        document=lambda found, turn: {
            **without(*OPENID[1:])(found, turn),
            "scopes_supported": ["read", "offline_access"],
        },
    ),
    plain(
        "plain-no-keys",
        "an OpenID Connect document has no jwks_uri",
        "https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata",
        document=without("jwks_uri"),
    ),
    plain("plain-openid-ignored", "openid is listed, and no ID token comes", OWN),
    plain(
        "plain-strict-scopes",
        "the service refuses openid",
        "recorded: better-auth 1.7.25, authorize",
        instead={"discovery": without_document, "metadata": document, "authorize": only_scopes("read")},
        document=without(*OPENID, "scopes_supported"),
    ),
    Scenario(
        "scopes-refused",
        "the client may ask for none of the usual scopes",
        "recorded: Spring Authorization Server 7.1.2, authorize",
        instead={"authorize": only_scopes("read")},
        login=refused(6, "`openid profile email offline_access`", "--no-scope"),
    ),
    plain(
        "scopes-refused-none",
        "the client may ask for none of the usual scopes, and is told to ask for none",
        "recorded: Spring Authorization Server 7.1.2, authorize",
        instead={"authorize": only_scopes("read")},
        words=("--no-scope",),
    ),
    plain(
        "scopes-named",
        "the client may ask for one scope alone, and that is named",
        "recorded: luikyv/go-oidc 882d4c9, authorize",
        instead={"authorize": only_scopes("read")},
        words=("--scope", "read"),
    ),
    Scenario(
        "device-scopes-refused",
        "openid is refused in the device flow",
        "recorded: Spring Authorization Server 7.1.2, device",
        device=True,
        instead={"device": only_scopes("read")},
        login=refused(6, "device authorization request", "--no-scope"),
    ),
    plain(
        "device-plain-oauth",
        "a service without OpenID Connect has a device flow",
        "recorded: zitadel/oidc v3.52.0, device",
        device=True,
        pending=(PENDING,),
        instead={"discovery": without_document, "metadata": document},
        document=without(*OPENID, "scopes_supported"),
    ),
    Scenario(
        "device-proof-key",
        "the client must use PKCE in the device flow",
        "recorded: Keycloak 26.7.3, device",
        device=True,
        pending=(PENDING,),
        instead={"device": demands_proof_key, "token": checks_verifier},
    ),
    Scenario(
        "device-proof-key-unlisted",
        "the client must use PKCE in the device flow, and the document does not say so",
        "recorded: Keycloak 26.7.3, device",
        device=True,
        pending=(PENDING,),
        instead={"device": demands_proof_key, "token": checks_verifier},
        document=without("code_challenge_methods_supported"),
    ),
    Scenario(
        "device-proof-key-unknown",
        "the document lists no methods of PKCE, and the device flow knows none",
        RFC + "#section-2",
        device=True,
        document=with_members(code_challenge_methods_supported=[]),
    ),
    Scenario(
        "device-client-id",
        "a client that authenticates by Basic must be named in the body too",
        "recorded: Ory Hydra 83127c575, device",
        device=True,
        secret="s3cr3t",
        instead={"device": demands_client_id},
    ),
    Scenario(
        "device-refused",
        "the client may not use the device flow",
        "recorded: Ory Hydra 83127c575, device",
        device=True,
        instead={"device": lambda turn: error(401, "invalid_client")},
        login=refused(8, "device authorization request", never=("entered",)),
    ),
    Scenario(
        "device-code-used",
        "the poll is answered invalid_grant",
        "recorded: better-auth 1.7.25, device",
        device=True,
        pending=(error(400, "invalid_grant"),),
        login=refused(6, "device token poll", "begin again", never=("entered", "too old")),
    ),
    Scenario(
        "basic-decoded",
        "the service decodes what Basic has, as the standard asks",
        "https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1",
        secret=CODED,
        instead={"token": only_basic(lambda text: urllib.parse.quote(text, safe=""))},
    ),
    Scenario(
        "basic-not-decoded",
        "the service does not decode what Basic has",
        "recorded: go-oauth2/oauth2 v4.5.4, client auth",
        secret=CODED,
        instead={"token": only_basic(str)},
        login=refused(8, "encoding", "--client-secret-raw"),
    ),
    Scenario(
        "basic-raw",
        "the service does not decode what Basic has, and the person says so",
        "recorded: @node-oauth/oauth2-server 5.3.0, client auth",
        secret=CODED,
        words=("--client-secret-raw",),
        instead={"token": only_basic(str)},
    ),
    Scenario(
        "basic-unknown",
        "the service reads the secret in the body alone",
        "recorded: @modelcontextprotocol/sdk 1.32.2, client auth",
        secret=CODED,
        instead={"token": only_body},
        login=refused(8, "--client-secret-in-body"),
    ),
    Scenario(
        "basic-body",
        "the service reads the secret in the body alone, and the person says so",
        "recorded: @modelcontextprotocol/sdk 1.32.2, client auth",
        secret=CODED,
        words=("--client-secret-in-body",),
        instead={"token": only_body},
    ),
    Scenario(
        "document-missing",
        "there is no document at all",
        OWN,
        instead={"discovery": without_document},
        login=refused(8, "endpoints named"),
    ),
]

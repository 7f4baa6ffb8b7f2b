"""Key sets: what stands in them, and how they come."""

from scenario import OWN, Scenario, each, github, refused
from signing import CURVE, FIRST, OTHER_CURVE, SECOND
from wire import page

SUITE = "https://github.com/openid-certification/conformance-suite: "
RFC = "https://www.rfc-editor.org/rfc/rfc7517"


def published(name, oddity, report, *keys, **more):
    """A scenario with these keys in its key set."""
    return Scenario(name, oddity, report, keys=lambda found, turn: {"keys": list(keys)}, **more)


def unnamed(claims, turn):
    return FIRST.sign(claims, kid=None)


KEYS = [
    published("key-twice", "the same key stands twice", github("panva/jose", 392), FIRST.public(), FIRST.public()),
    published(
        "key-name-twice",
        "two keys have one kid",
        github("authlib/authlib", 785),
        SECOND.public(kid="first"),
        FIRST.public(),
    ),
    published(
        "key-name-two-kinds",
        "an EC and an RSA key have one kid",
        github("latchset/jwcrypto", 268, "pull"),
        CURVE.public(kid="first"),
        FIRST.public(),
    ),
    published(
        "key-name-two-algorithms",
        "one key stands once for each algorithm, with one kid",
        github("keycloak/keycloak", 15114, "pull"),
        FIRST.public(alg="RS512"),
        FIRST.public(),
    ),
    published(
        "keys-without-names",
        "no key has a kid, and the token names none",
        SUITE + "oidcc-client-test-kid-absent-multiple-jwks",
        SECOND.public(kid=None),
        FIRST.public(kid=None),
        sign=unnamed,
    ),
    published(
        "key-nameless-token-named",
        "the only key has no kid, and the token names one",
        github("nov/openid_connect_sample_rp", 1),
        FIRST.public(kid=None),
    ),
    published(
        "key-without-use",
        "the key has no use",
        github("damienbod/angular-auth-oidc-client", 1079),
        FIRST.public(use=None),
    ),
    published(
        "key-without-algorithm", "the key has no alg", github("awslabs/aws-jwt-verify", 6), FIRST.public(alg=None)
    ),
    published(
        "key-for-encryption-beside",
        "a key for encryption stands before the right one",
        github("marcjazz/authkestra", 342, "pull"),
        SECOND.public(use="enc", alg="RSA-OAEP"),
        FIRST.public(),
        sign=unnamed,
    ),
    published(
        "key-for-encryption-alone",
        "the key of that kid is for encryption",
        github("lestrrat-go/jwx", 2060, "pull"),
        FIRST.public(use="enc"),
        login=refused(9),
    ),
    published(
        "key-operations", "key_ops names verify", RFC + "#section-4.3", FIRST.public(use=None, key_ops=["verify"])
    ),
    published(
        "key-certificate-beside",
        "the key has x5c and x5t beside its numbers",
        github("awslabs/aws-jwt-verify", 6),
        FIRST.public(
            alg=None,
            x5t="nOo3ZDrODXEK1jKWhXslHR_KXEg",
            x5c=["MIIDBTCCAe2g"],
            issuer="https://login.example.test/{tenantid}/v2.0",
        ),
    ),
    published(
        "key-certificate-alone",
        "the key has x5c, and no numbers",
        OWN,
        FIRST.public(n=None, e=None, x5c=["MIIDBTCCAe2g"]),
        login=refused(9),
    ),
    published(
        "keys-of-other-kinds",
        "keys of unknown kinds and curves stand beside the right one",
        github("FusionAuth/fusionauth-jwt", 80),
        {"kty": "AKP", "kid": "pq", "alg": "ML-DSA-44", "pub": "AAAA"},
        {"kty": "OKP", "crv": "X25519", "x": "AAAA"},
        {"kty": "EC", "crv": "secp256k1", "x": "AAAA", "y": "AAAA", "kid": "bitcoin"},
        FIRST.public(),
    ),
    published(
        "key-broken-beside",
        "a key that cannot be parsed stands beside the right one",
        SUITE + "OIDCCClientTestIgnoresUnparseableKeyInJwks",
        {"kty": "RSA", "kid": "broken", "n": "!", "e": "AQAB"},
        FIRST.public(),
    ),
    published(
        "key-off-curve-beside",
        "an EC key that is no point of its curve stands beside the right one",
        OWN,
        {**CURVE.public(), "x": OTHER_CURVE.public()["x"]},
        FIRST.public(),
    ),
    published(
        "keys-over-a-hundred",
        "there are 140 keys",
        OWN,
        *[SECOND.public(kid=f"old-{number}") for number in range(139)],
        FIRST.public(),
    ),
    Scenario(
        "keys-rotated-at-once",
        "the key was replaced between the first fetch and the signature",
        SUITE + "oidcc-client-test-signing-key-rotation-just-before-signing",
        keys=lambda found, turn: {"keys": [SECOND.public() if turn.issuer.count("keys") > 1 else FIRST.public()]},
        sign=lambda claims, turn: SECOND.sign(claims),
    ),
    Scenario(
        "keys-byte-order-mark",
        "the key set begins with a byte order mark",
        github("instructure/canvas-lms", 2639),
        sent={"keys": lambda found, turn: type(found)(200, b"\xef\xbb\xbf" + found.body, found.fields)},
    ),
    Scenario(
        "keys-page",
        "a page comes instead of the keys",
        "recorded: nginx 1.22.1, maintenance page with the status 200",
        instead={"keys": lambda turn: page(200)},
        login=refused(4),
    ),
    Scenario(
        "keys-forbidden",
        "a firewall answers 403 to the request for the keys",
        github("wavelog/wavelog", 3197, "pull"),
        instead={"keys": lambda turn: page(403)},
        login=refused(4),
    ),
    Scenario(
        "keys-unavailable-once",
        "the first request for the keys is answered 503",
        "recorded: HAProxy 2.6.12, no server is available",
        instead={"keys": each(page(503))},
        login=refused(4),
    ),
    Scenario(
        "keys-limited",
        "the request for the keys is answered 429 with Retry-After",
        "recorded: Koa 3.3.0, koa-ratelimit",
        instead={"keys": lambda turn: page(429, Retry_After="30")},
        login=refused(4),
    ),
    Scenario(
        "keys-moved",
        "the address of the keys redirects to another one",
        "recorded: HAProxy 2.6.12, redirect 302",
        instead={"keys": lambda turn: type(page(200))(301, b"", [("Location", f"{turn.issuer.folder}/keys2")])},
        login=refused(4),
    ),
]

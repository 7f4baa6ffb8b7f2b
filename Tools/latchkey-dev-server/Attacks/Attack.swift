extension DevServer {
    /// An attack of a hostile service on its clients, one at a time, set by ``Configuration/attack``.
    ///
    /// Everything that is not part of the attack works as usual: requests are checked, signatures are right, codes
    /// work once. So if a client refuses, it has noticed the attack. For answers that are too large, too slow or
    /// broken, use a ``Fault``.
    public enum Attack: String, Hashable, Sendable, CaseIterable {
        /// The browser is sent on to ``Configuration/victim``, so that the victim's code comes here (RFC 9700
        /// section 4.4). The document promises no `iss`.
        case mixUp
        /// The redirect's `iss` is the victim's issuer.
        case foreignIssuer
        /// The redirect has no `iss`, though the document promises it.
        case missingIssuer
        /// The redirect goes to the victim's origin.
        case strayRedirect
        /// The redirect brings the last code of an earlier request (RFC 9700 section 4.5).
        case injectedCode
        /// As ``injectedCode``, but the code's proof is not checked: only the nonce reveals the attack.
        case uncheckedCode
        /// The redirect brings tokens in place of a code, as the implicit grant did.
        case frontChannelTokens
        /// The document lists only `plain` challenges, and others are refused (RFC 9700 section 4.8).
        case plainChallenges
        /// The document names the victim as issuer.
        case foreignDocument
        /// The document's token endpoint is http on another machine.
        case insecureEndpoint
        /// Documents and keys are redirected to the victim, with status 307.
        case divertedDocuments
        /// Token requests are redirected to the victim, with status 307 (RFC 9700 section 4.12).
        case divertedPosts
        /// The token type is `mac`.
        case foreignTokenType
        /// ID tokens have the algorithm `none`, which the document lists, and no signature.
        case unsigned
        /// ID tokens are signed with `HS256` and the published key as the secret, which the document lists too.
        case symmetric
        /// ID tokens are signed by a key that is not published, under the name of one that is.
        case foreignKey
        /// ID tokens are signed by a key that is not published, under its own name.
        case unknownKey
        /// As ``unknownKey``, and the header contains the key (`jwk`).
        case embeddedKey
        /// ID tokens have five parts, as if they were encrypted.
        case encrypted
        /// The issuer of ID tokens is the victim.
        case foreignTokenIssuer
        /// ID tokens are for another client.
        case foreignAudience
        /// ID tokens are for another client too.
        case sharedAudience
        /// The authorized party of ID tokens is another client.
        case foreignParty
        /// ID tokens expired an hour ago.
        case expiredToken
        /// ID tokens were issued two days ago.
        case oldToken
        /// ID tokens have no nonce.
        case missingNonce
        /// The previous ID token is given again.
        case replayedToken
        /// The `at_hash` of ID tokens belongs to another access token.
        case foreignHash
        /// ID tokens do not say when the person signed in.
        case missingProof
        /// The type of ID tokens says that they are access tokens (RFC 9068).
        case foreignKind
        /// The userinfo endpoint returns another person.
        case foreignPerson
    }
}

/// Codes and tokens from before an attack, for use in it.
struct Loot: Sendable {
    var code: String?
    var idToken: String?
}

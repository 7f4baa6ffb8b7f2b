extension DevServer {
    /// What a hostile service does to its clients, one at a time, from ``Configuration/attack`` on.
    ///
    /// Everything that is not part of the attack goes on as before: requests are checked, signatures are right, codes
    /// are good once. So what a client refuses is the attack itself. Answers that are too large, too slow or broken are
    /// ``Fault``s.
    public enum Attack: String, Hashable, Sendable, CaseIterable {
        /// The browser is sent on to ``Configuration/victim``, so that its code comes here (RFC 9700 section 4.4).
        /// The document promises no `iss`.
        case mixUp
        /// The redirect's `iss` is the victim.
        case foreignIssuer
        /// The redirect has no `iss`, though the document promises it.
        case missingIssuer
        /// The redirect goes to the victim's origin.
        case strayRedirect
        /// The redirect brings the last code of an earlier request (RFC 9700 section 4.5).
        case injectedCode
        /// The same, and the code's proof is not looked at: only the nonce tells.
        case uncheckedCode
        /// The redirect brings tokens in place of a code, as the implicit grant did.
        case frontChannelTokens
        /// The document knows `plain` challenges only, and others are refused (RFC 9700 section 4.8).
        case plainChallenges
        /// The document names the victim as issuer.
        case foreignDocument
        /// The document's token endpoint is http on another machine.
        case insecureEndpoint
        /// Documents and keys are at the victim's, answers 307 say.
        case divertedDocuments
        /// Tokens are at the victim's, an answer 307 says (RFC 9700 section 4.12).
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
        /// The same, and the header brings the key along (`jwk`).
        case embeddedKey
        /// ID tokens have five parts, as if they were encrypted.
        case encrypted
        /// ID tokens are of the victim.
        case foreignTokenIssuer
        /// ID tokens are for another client.
        case foreignAudience
        /// ID tokens are for another client too.
        case sharedAudience
        /// The authorized party of ID tokens is another client.
        case foreignParty
        /// ID tokens ended an hour ago.
        case expiredToken
        /// ID tokens were issued two days ago.
        case oldToken
        /// ID tokens have no nonce.
        case missingNonce
        /// The last ID token of before is given again.
        case replayedToken
        /// ID tokens speak of another access token.
        case foreignHash
        /// ID tokens do not say when the person proved who they are.
        case missingProof
        /// ID tokens say that they are access tokens (RFC 9068).
        case foreignKind
        /// The userinfo endpoint speaks of another person.
        case foreignPerson
    }
}

/// What was given out before an attack, for use in it.
struct Loot: Sendable {
    var code: String?
    var idToken: String?
}

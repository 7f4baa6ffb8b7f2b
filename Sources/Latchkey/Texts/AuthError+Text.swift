extension AuthError {
    /// Returns one sentence for a person, without a full stop, chosen by ``Code/name``, by ``isAnswerLost``, or that of
    /// ``foreign``.
    ///
    /// ``message`` says more, in English, for logs and developers.
    public func text(in language: TextLanguage = .system) -> String {
        if isAnswerLost { return Self.further.text("answerLost", in: language) }
        return foreign?.text(in: language) ?? Self.texts.text(code.name, in: language)
    }

    static let texts = TextTable(
        [
            "signInRequired.signedOut": [.english: "Nobody is signed in", .french: "Personne n’est connecté"],
            "signInRequired.refused": [
                .english: "The service ended the session; sign in again",
                .french: "Le service a mis fin à la session ; reconnectez-vous",
            ],
            "signInRequired.refusedWithoutReason": [
                .english: "The service no longer takes the session; sign in again",
                .french: "Le service n’accepte plus la session ; reconnectez-vous",
            ],
            "signInRequired.interrupted": [
                .english: "An interruption cost the session; sign in again",
                .french: "Une interruption a coûté la session ; reconnectez-vous",
            ],
            "signInRequired.expired": [
                .english: "The session has ended; sign in again", .french: "La session est terminée ; reconnectez-vous",
            ],
            "signInRequired.banned": [.english: "The account is blocked", .french: "Le compte est bloqué"],
            "signInRequired.factorRequired": [
                .english: "The service wants something more of you; sign in again",
                .french: "Le service vous demande quelque chose de plus ; reconnectez-vous",
            ],
            "signInRequired.notAccepted": [
                .english: "The session was not accepted; sign in again",
                .french: "La session n’a pas été acceptée ; reconnectez-vous",
            ],
            "offline.unreachable": [
                .english: "The service cannot be reached", .french: "Le service est injoignable",
            ],
            "offline.signIn": [
                .english: "Signing in needs a connection, and the service cannot be reached",
                .french: "La connexion à un compte exige le réseau, et le service est injoignable",
            ],
            "offline.graceOver": [
                .english: "The time without the service is over", .french: "Le délai sans le service est écoulé",
            ],
            "serviceTrouble": [.english: "The service is in trouble", .french: "Le service a un problème"],
            "rateLimited": [.english: "The service asks to wait", .french: "Le service demande de patienter"],
            "busy": [.english: "Others are at it; try again", .french: "D’autres s’en occupent ; réessayez"],
            "locked": [.english: "The session is locked", .french: "La session est verrouillée"],
            "unlockUnavailable.notEnrolled": [
                .english: "No way to unlock is set up", .french: "Aucun moyen de déverrouiller n’est configuré",
            ],
            "unlockUnavailable.lockedOut": [
                .english: "There were too many wrong tries", .french: "Il y a eu trop d’essais erronés",
            ],
            "unlockUnavailable.invalidated": [
                .english: "What unlocked has changed since", .french: "Le moyen de déverrouiller a changé depuis",
            ],
            "unlockUnavailable.missing": [
                .english: "This device cannot unlock in that way",
                .french: "Cet appareil ne peut pas déverrouiller ainsi",
            ],
            "refused.wrongInput": [.english: "What was entered is wrong", .french: "La saisie est erronée"],
            "refused.passwordNotAccepted": [
                .english: "The password is not accepted", .french: "Le mot de passe n’est pas accepté",
            ],
            "refused.expired": [.english: "It came too late", .french: "C’est trop tard"],
            "refused.denied": [.english: "It was refused", .french: "Cela a été refusé"],
            "refused.scope": [
                .english: "The service does not grant that much", .french: "Le service n’accorde pas autant",
            ],
            "refused.captcha": [.english: "The service wants a captcha", .french: "Le service demande un captcha"],
            "refused.factorRequired": [
                .english: "The service wants a further factor", .french: "Le service demande un facteur de plus",
            ],
            "refused.otherPerson": [
                .english: "Another person signed in", .french: "Une autre personne s’est connectée",
            ],
            "refused.other": [.english: "The service refused it", .french: "Le service l’a refusé"],
            "declined": [.english: "This was declined", .french: "Cela a été refusé"],
            "store.damaged": [
                .english: "The stored session is damaged", .french: "La session enregistrée est endommagée",
            ],
            "store.tampered": [
                .english: "Somebody has changed the stored session",
                .french: "Quelqu’un a modifié la session enregistrée",
            ],
            "store.rolledBack": [
                .english: "An older session was put in place of a newer one",
                .french: "Une session plus ancienne a remplacé une plus récente",
            ],
            "store.insecurePermissions": [
                .english: "Others may read or change where the session is",
                .french: "D’autres peuvent lire ou modifier l’emplacement de la session",
            ],
            "store.readOnly": [
                .english: "The session cannot be written", .french: "La session ne peut pas être enregistrée",
            ],
            "store.full": [.english: "No space is left", .french: "Il n’y a plus de place"],
            "store.notDurable": [
                .english: "The session was not kept for sure", .french: "La session n’est pas enregistrée à coup sûr",
            ],
            "store.unavailable": [
                .english: "The place of the session cannot be reached",
                .french: "L’emplacement de la session est inaccessible",
            ],
            "store.unknownOutcome": [
                .english: "The session may or may not have been stored",
                .french: "La session a peut-être été enregistrée, ou non",
            ],
            "store.newerVersion": [
                .english: "A newer version has written it", .french: "Une version plus récente l’a écrit",
            ],
            "store.lockTimeout": [
                .english: "Another program holds it for too long",
                .french: "Un autre programme l’occupe trop longtemps",
            ],
            "configuration.invalid": [.english: "The configuration is wrong", .french: "La configuration est erronée"],
            "configuration.changed": [
                .english: "The configuration has changed since", .french: "La configuration a changé depuis",
            ],
            "configuration.unsupported": [.english: "That is not supported", .french: "Cela n’est pas pris en charge"],
            "configuration.clientRefused": [
                .english: "The service does not accept this client", .french: "Le service n’accepte pas ce client",
            ],
            "cancelled": [.english: "It was interrupted", .french: "Cela a été interrompu"],
        ].merging(untrusted) { own, _ in own })

    /// What is said in place of the sentence of the code.
    static let further = TextTable([
        "answerLost": [
            .english: "The service's answer is lost, and what was sent may be spent; begin anew",
            .french: "La réponse du service est perdue, et ce qui a été envoyé est peut-être consommé ; recommencez",
        ]
    ])

    private static let untrusted: [String: [TextLanguage: String]] = Dictionary(
        uniqueKeysWithValues: UntrustedReason.allCases.map { reason in
            (
                "untrusted.\(reason.rawValue)",
                [
                    .english: "An answer cannot be trusted (\(reason.rawValue))",
                    .french: "Une réponse n’est pas digne de confiance (\(reason.rawValue))",
                ]
            )
        })
}

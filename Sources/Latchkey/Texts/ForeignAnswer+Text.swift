extension ForeignAnswer {
    /// One sentence in English that says who answered, and that it was not the service.
    public var message: String { text(in: .english) + "." }

    /// Returns the sentence of ``message`` for a person, without a full stop.
    public func text(in language: TextLanguage = .system) -> String {
        let key = kind == .redirect && target == nil ? "redirect.own" : kind.rawValue
        let host = place ?? Self.texts.text("service", in: language)
        let values = ["status": "\(status)", "host": host, "target": target ?? host]
        let sentence = Self.texts.text(key, in: language, values)
        return sentence + (product.map { Self.texts.text("product", in: language, ["name": $0]) } ?? "")
    }

    /// The sentences, by kind.
    static let texts = TextTable([
        "service": [.english: "the service", .french: "le service"],
        "product": [.english: " (it calls itself {name})", .french: " (il dit s’appeler {name})"],
        "networkSignIn": [
            .english: "A web page came in place of the answer of {host} (HTTP {status}): as a rule this network wants a"
                + " sign-in of its own, or else a proxy, a firewall or a notice stands before the service",
            .french: "Une page web est venue à la place de la réponse de {host} (HTTP {status}) : en général ce réseau"
                + " veut sa propre connexion, sinon un mandataire, un pare-feu ou un avis est devant le service",
        ],
        "proxySignIn": [
            .english: "A proxy on the way to {host} wants a name and a password of its own (HTTP {status})",
            .french: "Un mandataire vers {host} veut son propre nom et son mot de passe (HTTP {status})",
        ],
        "redirect": [
            .english: "{host} sends the request on to {target} (HTTP {status}), which is not followed: this network may"
                + " want a sign-in of its own there, or the service has moved",
            .french:
                "{host} renvoie la requête vers {target} (HTTP {status}), ce qui n’est pas suivi : ce réseau y veut"
                + " peut-être sa propre connexion, ou le service a déménagé",
        ],
        "redirect.own": [
            .english:
                "{host} sends the request on to another address of its own (HTTP {status}), which is not followed",
            .french: "{host} renvoie la requête vers une autre de ses adresses (HTTP {status}), ce qui n’est pas suivi",
        ],
        "signIn": [
            .english:
                "{host}, or a gateway before it, wants a sign-in or a key (HTTP {status}), and does not say so in the"
                + " service's form: check whether this client needs a secret",
            .french:
                "{host}, ou une passerelle devant, veut une connexion ou une clé (HTTP {status}) et ne le dit pas sous la"
                + " forme du service : vérifiez si ce client a besoin d’un secret",
        ],
        "blocked": [
            .english: "A firewall or a gateway before {host} stops the request (HTTP {status}); the answer is not the"
                + " service's",
            .french: "Un pare-feu ou une passerelle devant {host} arrête la requête (HTTP {status}) ; la réponse n’est"
                + " pas celle du service",
        ],
        "busy": [
            .english: "{host}, or a gateway before it, wants fewer requests (HTTP {status})",
            .french: "{host}, ou une passerelle devant, veut moins de requêtes (HTTP {status})",
        ],
        "tooLarge": [
            .english: "A gateway before {host} takes no request this large (HTTP {status}); the answer is not the"
                + " service's",
            .french: "Une passerelle devant {host} ne prend pas de requête aussi grande (HTTP {status}) ; la réponse"
                + " n’est pas celle du service",
        ],
        "notFound": [
            .english: "Something else than the service answers at {host}, and finds nothing there (HTTP {status})",
            .french: "Autre chose que le service répond à {host}, et n’y trouve rien (HTTP {status})",
        ],
        "refused": [
            .english: "Something before {host} refused the request (HTTP {status}); the answer is not of the service's"
                + " form",
            .french: "Quelque chose devant {host} a refusé la requête (HTTP {status}) ; la réponse n’a pas la forme de"
                + " celles du service",
        ],
        "outage": [
            .english: "{host} has a failure, or a gateway before it does not reach the service (HTTP {status})",
            .french: "{host} est en panne, ou une passerelle devant n’atteint pas le service (HTTP {status})",
        ],
        "unreadable": [
            .english:
                "The answer of {host} is not of the service's form (HTTP {status}): it was cut or changed on the way,"
                + " or something else answers there",
            .french: "La réponse de {host} n’a pas la forme de celles du service (HTTP {status}) : elle a été coupée ou"
                + " changée en chemin, ou autre chose y répond",
        ],
    ])
}

extension RefusedTokens {
    /// Returns what became of them, one sentence without a full stop.
    public func text(in language: TextLanguage) -> String { Self.texts(key, in: language) }

    private var key: String {
        switch self {
        case .revoked: "revoked"
        case .leftToExpire(.notOffered): "notOffered"
        case .leftToExpire(.failed): "failed"
        case .leftToExpire(.endsOthers): "endsOthers"
        }
    }

    private static func texts(_ key: String, in language: TextLanguage) -> String { table.text(key, in: language) }

    static let table = TextTable([
        "revoked": [
            .english: "The tokens that came were revoked", .french: "Les jetons reçus ont été révoqués",
        ],
        "notOffered": [
            .english: "The tokens that came could not be revoked, since the service offers no revocation; they expire",
            .french: "Les jetons reçus n’ont pas pu être révoqués, car le service ne l’offre pas ; ils expireront",
        ],
        "failed": [
            .english: "The tokens that came could not be revoked; they expire",
            .french: "Les jetons reçus n’ont pas pu être révoqués ; ils expireront",
        ],
        "endsOthers": [
            .english:
                "The tokens that came were not revoked, because that might end the session that is signed in here;"
                + " they expire",
            .french: "Les jetons reçus n’ont pas été révoqués, car cela pourrait terminer la session ouverte ici ;"
                + " ils expireront",
        ],
    ])
}

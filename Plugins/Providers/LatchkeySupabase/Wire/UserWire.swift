import LatchkeyJSON

/// A person as the service describes them: as much as could be read. Empty texts count as absent.
enum UserAnswer {
    /// The account's id.
    static func id(in user: JSON?) -> String? { text(user, "id") }

    /// The mail address.
    static func mail(in user: JSON?) -> String? { text(user, "email") }

    /// A name to show.
    static func label(in user: JSON?) -> String? {
        mail(in: user) ?? text(user, "phone").map { $0.hasPrefix("+") ? $0 : "+\($0)" }
            ?? ["full_name", "name", "user_name"].lazy.compactMap { text(user?["user_metadata"], $0) }.first
    }

    /// Whether the answer to a sign-up is the one that hides that there is such an account: nothing is behind it.
    static func isMadeUp(_ user: JSON) -> Bool {
        user["identities"]?.array?.isEmpty == true && text(user, "role") == nil
    }

    /// What the person could prove besides.
    static func verifiedFactors(in user: JSON?) -> [SupabaseFactor] {
        (user?["factors"]?.array ?? []).compactMap(SupabaseFactor.init).filter(\.isVerified)
    }

    static func text(_ json: JSON?, _ name: String) -> String? {
        json?[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension UserAnswer {
    /// Whether `id` can stand in a path.
    static func isPlain(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
            }
    }
}

import Latchkey
import LatchkeyJSON

/// The person that a sign-in asked for, by a name that people use: a mail address, a user name, or the subject.
struct ExpectedPerson: Sendable {
    let name: String

    /// Whether the claims are this person's; `nil` if they say too little to decide.
    ///
    /// Only names of the same kind decide: a full name says nothing about a mail address, and a subject that is a row of
    /// digits nothing about a user name. Capital letters are like small ones.
    func isNamed(in claims: OpenIDClaims) -> Bool? {
        let wanted = name.lowercased()
        let names = [claims.email, claims.preferredUsername, claims["upn"]?.string, claims.phoneNumber].compactMap {
            $0
        }
        let others = [claims.subject, claims.name, claims.nickname].compactMap { $0 }
        let isHere = (names + others).contains { $0.lowercased() == wanted }
        if isHere { return true }
        if wanted.contains("@") { return names.contains { $0.contains("@") } ? false : nil }
        if names.contains(where: { $0.lowercased().prefix { $0 != "@" } == wanted }) { return true }
        if !names.isEmpty || (Self.isUserName(claims.subject) && Self.isUserName(name)) { return false }
        return nil
    }

    /// Whether a subject may be a name that people use: letters, and at most four digits after them.
    private static func isUserName(_ text: String) -> Bool {
        let letters = text.prefix { $0.isLetter || "._-".contains($0) }
        let digits = text.dropFirst(letters.count)
        return (2...32).contains(letters.count) && text.first?.isLetter == true && digits.count <= 4
            && digits.allSatisfy(\.isNumber)
    }
}

extension Conversation {
    /// Refuses the sign-in of another person than `demand` asks for.
    func check(_ person: OpenIDClaims, _ demand: SignInDemand) throws(AuthError) {
        guard let expected = demand.person, expected.isNamed(in: person) == false else { return }
        let came = person.label ?? person.subject
        throw AuthError(
            .refused(.otherPerson),
            "\u{201C}\(came)\u{201D} signed in, and not \u{201C}\(expected.name)\u{201D}. That sign-in is not kept.",
            provider: provider.name)
    }
}

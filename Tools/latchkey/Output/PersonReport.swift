import Latchkey
import LatchkeyClerk
import LatchkeyJSON
import LatchkeyOAuth
import LatchkeySupabase

/// The person of an account, as `whoami` and `status` show them.
struct PersonReport: Sendable {
    var account: Account
    /// The id at the service.
    var subject: String?
    var name: String?
    var email: String?
    var claims: OpenIDClaims?
    /// What the access token was granted.
    var scopes: [String]?

    /// Reads what is kept with the session.
    static func kept(_ account: Account, _ workplace: Workplace) async throws(AuthError) -> PersonReport {
        let session = try await workplace.client.session(of: account.id)
        var person = PersonReport(account: account)
        person.scopes = session.tokens[.standard]?.scopes
        switch workplace.profile.service {
        case .oauth: person.take(try await workplace.client.oauth(account: account.id).claims)
        case .supabase: person.take(session.supabaseUser)
        case .clerk: person.subject = person.subjectInID
        case .unknown: break
        }
        return person
    }

    /// Asks the service.
    static func asked(_ account: Account, _ workplace: Workplace) async throws(AuthError) -> PersonReport {
        let client = workplace.client
        var person = PersonReport(account: account)
        switch workplace.profile.service {
        case .oauth: person.take(try await client.oauth(account: account.id).refreshClaims())
        case .supabase: person.take(try await client.supabase(account: account.id).user())
        case .clerk: person.take(try await client.clerk(account: account.id).me())
        case .unknown: break
        }
        // The label follows the answer.
        person.account = try await client.accounts().first { $0.id == account.id } ?? account
        return person
    }

    private mutating func take(_ claims: OpenIDClaims?) {
        (subject, name, email, self.claims) = (claims?.subject, claims?.name, claims?.email, claims)
    }

    private mutating func take(_ user: SupabaseUser?) {
        (subject, email) = (user?.id ?? subjectInID, user?.email)
        name = ["full_name", "name"].lazy.compactMap { user?.metadata[$0]?.string }.first
    }

    private mutating func take(_ user: ClerkUser) {
        let names = [user.firstName, user.lastName].compactMap(\.self).joined(separator: " ")
        (subject, name) = (user.id, names.isEmpty ? nil : names)
        email = (user.emails.first(where: \.isPrimary) ?? user.emails.first)?.value
    }

    /// The subject in the account's id, which is made of provider, authority and subject.
    private var subjectInID: String? {
        let front = "\(account.provider.name) \(account.authority) "
        return account.id.value.hasPrefix(front) ? String(account.id.value.dropFirst(front.count)) : nil
    }
}

extension PersonReport {
    func json(_ profile: Profile) -> JSON {
        var members: [String: JSON] = [
            "account": .string(account.id.value), "service": .string(profile.service.name),
            "issuer": .string(claims?.issuer ?? profile.issuer), "profile": .string(profile.name),
        ]
        members["sub"] = subject.map(JSON.string)
        members["label"] = account.label.map(JSON.string)
        members["name"] = name.map(JSON.string)
        members["email"] = email.map(JSON.string)
        members["claims"] = claims?.json
        return .object(members)
    }

    /// One line for people. At Supabase and Clerk, where a person may have several addresses, with the id.
    func line(_ profile: Profile, _ texts: ToolTexts) -> String {
        let name = account.label ?? email ?? name
        let shown = AccountReport.name(name, account.id, texts)
        let values = ["person": shown, "issuer": claims?.issuer ?? profile.issuer, "id": subject ?? ""]
        let showsID = profile.service.isDirect && subject != nil && name != nil && subject != name
        return texts(showsID ? "whoami.withID" : "whoami", values)
    }
}

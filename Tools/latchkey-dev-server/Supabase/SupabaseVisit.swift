import LatchkeyJSON

/// A provider's data about a person.
struct SupabaseVisit {
    var provider: String
    var subject: String
    var email: String?
    var isVerified: Bool
    var data: [String: JSON]
    /// Whether a known identity takes over the provider's present data.
    var updatesData = true

    init(provider: String, subject: String, email: String?, isVerified: Bool, data: [String: JSON]) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.isVerified = isVerified
        self.data = data
    }
}

extension SupabaseVisit {
    /// Reads the claims of an ID token.
    init(provider: String, idToken claims: JSON) {
        let audience = claims["aud"] ?? .null
        var data: [String: JSON] = [
            "aud": audience.array == nil ? .array([audience]) : audience, "iss": claims["iss"] ?? .null,
            "iat": claims["iat"] ?? .null, "exp": claims["exp"] ?? .null, "sub": claims["sub"] ?? .null,
            "email_verified": .bool(claims["email_verified"]?.bool ?? false), "phone_verified": .bool(false),
        ]
        data["email"] = claims["email"]
        data["name"] = claims["name"]
        self.init(
            provider: provider, subject: claims["sub"]?.string ?? "", email: claims["email"]?.string,
            isVerified: claims["email_verified"]?.bool ?? false, data: data)
        updatesData = false
    }

    /// Creates the built-in provider's data for the person with this address.
    init(provider: String, email: String, issuer: String) {
        let data: [String: JSON] = [
            "iss": .string(issuer), "sub": .string("idp|\(email)"), "provider_id": .string("idp|\(email)"),
            "name": "Idp User", "full_name": "Idp User", "email": .string(email), "email_verified": .bool(true),
            "phone_verified": .bool(false), "custom_claims": ["picture": .string("\(issuer)/picture.png")],
        ]
        self.init(provider: provider, subject: "idp|\(email)", email: email, isVerified: true, data: data)
    }
}

extension SupabaseState {
    /// Finds the person by the identity or the verified address, or creates one.
    mutating func arrive(
        _ visit: SupabaseVisit, linking: SupabasePerson?
    ) throws(SupabaseFailure) -> SupabasePerson {
        let key = "\(visit.provider)/\(visit.subject)"
        let owner = owners[key].flatMap { people[$0] }.flatMap { person in
            person.identities.contains { $0.provider == visit.provider && $0.subject == visit.subject } ? person : nil
        }
        if var linking {
            guard owner == nil else {
                let mine = owner?.id == linking.id
                throw SupabaseFailure(
                    422, .identityAlreadyExists,
                    mine ? "Identity is already linked" : "Identity is already linked to another user")
            }
            attach(visit, to: &linking)
            if linking.isAnonymous { adopt(visit, &linking) }
            return stored(linking, key)
        }
        if var owner {
            guard !owner.isBanned(now) else { throw SupabaseFailure(403, .userBanned, "User is banned") }
            for index in owner.identities.indices where owner.identities[index].provider == visit.provider {
                owner.identities[index].lastSignInAt = now
                if visit.updatesData { owner.identities[index].data = visit.data }
                owner.identities[index].updatedAt = now
            }
            owner.userMetadata.merge(visit.data) { $1 }
            return stored(owner, key)
        }
        if visit.isVerified, let email = visit.email, var known = person(email: email) {
            attach(visit, to: &known)
            known.userMetadata.merge(visit.data) { $1 }
            confirmEmail(&known, identity: false)
            return stored(known, key)
        }
        guard !settings.disablesSignUp else {
            throw SupabaseFailure(422, .signupDisabled, "Signups not allowed for this instance")
        }
        var person = SupabasePerson(now: now)
        attach(visit, to: &person)
        adopt(visit, &person)
        return stored(person, key)
    }

    private mutating func stored(_ person: SupabasePerson, _ key: String) -> SupabasePerson {
        owners[key] = person.id
        store(person)
        return people[person.id] ?? person
    }

    private func attach(_ visit: SupabaseVisit, to person: inout SupabasePerson) {
        person.identities.append(
            SupabaseIdentity(visit.provider, subject: visit.subject, data: visit.data, now: now))
        person.listProviders()
    }

    /// Adds a provider's address and data to a person who had none.
    private func adopt(_ visit: SupabaseVisit, _ person: inout SupabasePerson) {
        person.userMetadata.merge(visit.data) { $1 }
        person.isAnonymous = false
        if let email = visit.email, self.person(email: email) == nil {
            person.email = email
            if visit.isVerified { person.emailConfirmedAt = now }
        }
    }
}

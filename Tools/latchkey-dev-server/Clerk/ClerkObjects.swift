import LatchkeyJSON

/// The service's objects in JSON. Clerk's clients refuse a whole client for one member that is missing
/// (`Tests/LatchkeyClerkTests/Contract`).
extension ClerkState {
    func time(_ seconds: Double) -> JSON { .integer(Int64(seconds * 1_000)) }

    func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

    func object(_ client: ClerkClient) -> JSON {
        let alive = client.signedIn
        let last = alive.first { $0.id == client.lastActive } ?? alive.last
        return [
            "object": "client", "id": .string(client.id), "sessions": .array(client.sessions.map { object($0) }),
            "sign_in": client.signIn.map { object($0, client) } ?? .null,
            "sign_up": client.signUp.map(object) ?? .null, "last_active_session_id": text(last?.id),
            "last_authentication_strategy": text(client.lastStrategy), "cookie_expires_at": .null,
            "captcha_bypass": false, "created_at": time(client.createdAt), "updated_at": time(client.updatedAt),
        ]
    }

    func object(_ session: ClerkSession, withUser: Bool = true) -> JSON {
        let second = session.secondFactorAt.map { Int64((wall - $0) / 60) } ?? -1
        let tasks = tasks(of: session)
        let person = people[session.person]
        return [
            "object": "session", "id": .string(session.id), "status": .string(status(of: session)),
            "expire_at": time(session.createdAt + 604_800), "abandon_at": time(session.createdAt + 2_592_000),
            "last_active_at": time(session.ending == nil ? wall : session.updatedAt), "actor": .null,
            "tasks": tasks.isEmpty ? .null : .array(tasks.map { ["key": .string($0)] }),
            "last_active_organization_id": text(session.organization),
            "factor_verification_age": [.integer(Int64((wall - session.firstFactorAt) / 60)), .integer(second)],
            "last_active_token": session.ending == nil
                ? (try? token(session, organization: session.organization)).map { token($0) } ?? .null : .null,
            "user": withUser ? person.map { object($0) } ?? .null : .null,
            "public_user_data": person.map(publicData) ?? .null, "created_at": time(session.createdAt),
            "updated_at": time(session.ending == nil ? wall : session.updatedAt),
        ]
    }

    /// Returns what others see of a person.
    func publicData(_ person: ClerkPerson) -> JSON {
        [
            "first_name": text(person.firstName), "last_name": text(person.lastName),
            "image_url": .string(imageURL(person.image, person.id)), "has_image": .bool(person.image != nil),
            "identifier": .string(person.email ?? person.phone ?? person.username ?? person.id),
            "user_id": .string(person.id), "username": text(person.username), "banned": .bool(person.isBanned),
            "deprovisioned": false,
        ]
    }

    /// Returns the address of a picture. The service draws one for who has none.
    func imageURL(_ image: String?, _ id: String) -> String { image ?? "\(Self.imageHost)/default/\(id)" }

    static let imageHost = "https://img.example.test"

    func token(_ jwt: String) -> JSON { ["object": "token", "jwt": .string(jwt)] }

    /// Returns the challenge that a passkey has to sign.
    func passkey(_ challenge: String, _ person: ClerkPerson?) -> ClerkVerification {
        let options = requestOptions(challenge, of: person).serialized()
        return ClerkVerification(strategy: "passkey", nonce: String(decoding: options, as: UTF8.self))
    }

    func object(_ signIn: ClerkSignIn, _ client: ClerkClient) -> JSON {
        let person = people[signIn.person]
        let isTrust = signIn.status == .needsTrust
        var members: [String: JSON] = [
            "object": "sign_in_attempt", "id": .string(signIn.id), "status": .string(signIn.status.rawValue),
            "identifier": signIn.identifier.isEmpty ? .null : .string(signIn.identifier),
            "supported_identifiers": ["email_address", "phone_number", "username", "passkey"],
            "supported_first_factors": .array(person.map { firstFactors($0, as: signIn.identifier) } ?? []),
            "supported_second_factors": .array(
                person.map { person in
                    secondFactors(of: person, isTrust: isTrust).map { factor($0, person, as: signIn.identifier) }
                } ?? []),
            "first_factor_verification": firstVerification(signIn, person)?.json ?? .null,
            "second_factor_verification": secondVerification(signIn)?.json ?? .null,
            "created_session_id": text(signIn.session), "user_data": person.map(shown) ?? .null,
            "abandon_at": time(signIn.createdAt + 86_400), "locale": .null,
        ]
        if !signIn.person.isEmpty {
            let isKnown = client.trusted.contains(signIn.person)
            members["client_trust_state"] = isTrust ? "pending" : isKnown ? "known" : "new"
        }
        return .object(members)
    }

    /// Returns what a sign-in shows of the person that it is for.
    private func shown(_ person: ClerkPerson) -> JSON {
        [
            "first_name": text(person.firstName), "last_name": text(person.lastName),
            "image_url": .string(imageURL(person.image, person.id)), "has_image": .bool(person.image != nil),
            "profile_image_url": .string(imageURL(person.image, person.id)),
        ]
    }

    private func firstVerification(_ signIn: ClerkSignIn, _ person: ClerkPerson?) -> ClerkVerification? {
        if let external = signIn.external { return verification(external, of: signIn) }
        if let challenge = signIn.passkey { return passkey(challenge, person) }
        if let proof = signIn.firstProof {
            return signIn.first.map { $0.verification("verified") }
                ?? ClerkVerification(strategy: proof, status: "verified")
        }
        return signIn.link.map { verification($0) } ?? signIn.first?.verification()
    }

    private func secondVerification(_ signIn: ClerkSignIn) -> ClerkVerification? {
        if let proof = signIn.secondProof { return ClerkVerification(strategy: proof, status: "verified") }
        return signIn.secondLink.map { verification($0) } ?? signIn.second?.verification()
    }
}

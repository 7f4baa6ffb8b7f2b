import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySupabase
import LatchkeyTesting

extension PersonFlow {
    static let uses: [PersonFlow] = [
        PersonFlow(
            name: "refresh", kind: .use, prepare: signedIn, act: { try await $0.client.refresh() },
            isDone: { _ in true }),
        PersonFlow(
            name: "upgrade", kind: .use,
            prepare: { person in
                person.service.give(.v1)
                try await signedIn(person)
                person.service.give(.v2)
            }, act: { try await $0.client.refresh() }, isDone: { _ in true }, forgivenFor: "/token"),
        PersonFlow(
            name: "weak-password", kind: .use, prepare: signedIn,
            act: { person in
                var change = SupabaseUserUpdate()
                change.password = Secret("abc")
                try await refused(.refused(.passwordNotAccepted)) { try await person.client.supabase().update(change) }
            }, isDone: { $0.service.hasPassword($0.mail, $0.password) }),
        PersonFlow(
            name: "switched-off", kind: .use, prepare: signedIn, act: switchedOff, isDone: { _ in true }),
        PersonFlow(
            name: "password-change", kind: .use, prepare: signedIn,
            act: { person in
                var change = SupabaseUserUpdate()
                change.password = Secret("another horse 43 staple")
                try await person.client.supabase().update(change)
            }, isDone: { $0.service.hasPassword($0.mail, "another horse 43 staple") }),
        PersonFlow(
            name: "address-change", kind: .use, prepare: signedIn,
            act: { person in
                var change = SupabaseUserUpdate()
                change.email = "new-\(person.mail)"
                try await person.client.supabase().update(change)
            }, isDone: { $0.service.wants($0.mail, "new-\($0.mail)") }),
        PersonFlow(
            name: "reauthenticate", kind: .use, prepare: signedIn,
            act: { try await $0.client.supabase().reauthenticate() },
            isDone: { person in
                person.service.server.inbox(of: person.mail).contains { $0.type == "reauthentication" }
            }),
        PersonFlow(
            name: "unlink", kind: .use, prepare: withIdentity,
            act: { try await $0.client.supabase().unlink($0.note("identity")) },
            isDone: { $0.service.identities(of: $0.mail) == Int($0.note("identities")) }),
        PersonFlow(
            name: "sign-out-others", kind: .use, prepare: withOthers,
            act: { _ = try await $0.client.signOut(scope: .others) }, isDone: isAlone),
    ]

    /// Where the project's settings cannot be had, the visit is begun.
    static let switchedOff: Step = { person in
        do {
            _ = try await person.client.begin(.signIn(.browser(connection: "figma")), with: "supabase")
        } catch let error as AuthError where error.code == .configuration(.unsupported) {
            return
        }
        guard person.line.met?.hasSuffix("/settings") == true else {
            throw AuthError(.untrusted(.malformed), "The browser opens, though the project has not switched it on.")
        }
    }

    static let withIdentity: Step = { person in
        try await signedIn(person)
        let claims = person.service.server.idToken(["sub": .string(person.mail), "email": .string(person.mail)]) ?? ""
        let handle = try person.client.supabase()
        person.note("identities", "\(person.service.identities(of: person.mail))")
        _ = try await handle.link(.idToken(Secret(claims), issuer: "keycloak", nonce: nil))
        person.note("identity", try await handle.identities().first { $0.provider == "keycloak" }?.id ?? "")
    }

    static let withOthers: Step = { person in
        person.join()
        _ = await person.service.otherSession(person.mail, person.password)
        try await person.signIn()
        person.service.clock.advance(by: .seconds(120))
    }

    static let isAlone: @Sendable (WalkedPerson) async -> Bool = { person in
        person.service.sessions(of: person.mail).count == 1
    }

    static let proofs: [PersonFlow] = [
        PersonFlow(
            name: "enrol", kind: .proof, prepare: signedIn, act: enrol, isDone: isRaised, forgivenFor: "/verify"),
        PersonFlow(
            name: "verify", kind: .proof,
            prepare: { person in
                try await withFactor(person)
                try await person.signIn()
                person.service.clock.advance(by: .seconds(120))
            },
            act: { try await $0.client.supabase().verify(factor: $0.note("factor"), code: $0.totp()) },
            isDone: isRaised, forgivenFor: "/verify"),
    ]

    static let withFactor: Step = { person in
        try await signedIn(person)
        try await enrol(person)
        _ = try await person.client.signOut()
    }

    static let enrol: Step = { person in
        let handle = try person.client.supabase()
        let begun = try await handle.enrollTOTP(name: "app \(person.service.number())")
        person.note("factor", begun.id)
        person.note("secret", begun.secret?.revealText() ?? "")
        try await handle.verify(factor: begun.id, code: person.totp())
    }

    static let isRaised: @Sendable (WalkedPerson) async -> Bool = { person in
        guard let session = await person.session() else { return false }
        return person.service.level(session) == "aal2"
    }

    static let signOuts: [PersonFlow] = [
        PersonFlow(
            name: "sign-out", kind: .signOut, prepare: signedIn, act: { try await leave($0, .thisSession) },
            isDone: { !$0.service.accepts($0.note("session")) }),
        PersonFlow(
            name: "sign-out-everywhere", kind: .signOut, prepare: withOthers, act: { try await leave($0, .everywhere) },
            isDone: { $0.service.sessions(of: $0.mail).isEmpty }),
    ]

    static func leave(_ person: WalkedPerson, _ scope: SignOutScope) async throws {
        person.note("result", "\(try await person.client.signOut(scope: scope))")
    }
}

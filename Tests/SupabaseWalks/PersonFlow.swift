import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySupabase
import LatchkeyTesting

/// Something that a person does at Supabase.
struct PersonFlow: Sendable {
    typealias Step = @Sendable (WalkedPerson) async throws -> Void

    enum Kind: Sendable {
        /// Nobody is signed in before, somebody is afterwards.
        case signIn
        /// The session lives on.
        case use
        /// The session lives on at another refresh token, which the service forgives only for its interval.
        case proof
        /// The session ends.
        case signOut
    }

    var name: String
    var kind: Kind
    /// What was done before, with everything well.
    var prepare: Step
    /// What the person does.
    var act: Step
    /// What the person does after an error; `nil` for the same.
    var again: Step?
    /// Whether the service has done it.
    var isDone: @Sendable (WalkedPerson) async -> Bool
}

extension PersonFlow {
    static let all = signIns + uses + proofs + signOuts

    private static let signIns: [PersonFlow] = [
        signIn("password", { $0.join() }, { try await $0.signIn() }),
        signIn("code", { $0.join() }, code),
        PersonFlow(
            name: "sign-up", kind: .signIn, prepare: { _ in }, act: signUp,
            again: { person in
                // The account may be there already: then its password signs in.
                do { try await person.signIn() } catch { try await signUp(person) }
            }, isDone: hasSession),
        signIn("anonymous", { _ in }, { _ = try await $0.client.signIn(with: "supabase", .anonymous) }),
        signIn(
            "refresh-token",
            { person in
                person.join()
                person.note("token", await person.service.otherSession(person.mail, person.password) ?? "")
            },
            { person in
                _ = try await person.client.signIn(with: "supabase", .refreshToken(Secret(person.note("token"))))
            }),
    ]

    private static func signIn(_ name: String, _ prepare: @escaping Step, _ act: @escaping Step) -> PersonFlow {
        PersonFlow(name: name, kind: .signIn, prepare: prepare, act: act, isDone: hasSession)
    }

    private static let hasSession: @Sendable (WalkedPerson) async -> Bool = { person in
        guard let session = await person.session() else { return false }
        return person.service.accepts(session)
    }

    private static let code: Step = { person in
        let begun = try await person.client.begin(
            .signIn(.code(identifier: person.mail, over: .mail)), with: "supabase")
        guard case .asked(let challenge) = begun else { return }
        _ = try await person.client.answer(.code(person.code()), to: challenge.id)
    }

    private static let signUp: Step = { person in
        let form = SignUpForm(identifier: person.mail, password: Secret(person.password))
        guard case .asked(let challenge) = try await person.client.begin(.signUp(form), with: "supabase") else {
            return
        }
        _ = try await person.client.answer(.code(person.code()), to: challenge.id)
    }

    static let signedIn: Step = { person in
        person.join()
        try await person.signIn()
        person.service.clock.advance(by: .seconds(120))
    }
}

extension PersonFlow {
    private static let uses: [PersonFlow] = [
        PersonFlow(
            name: "refresh", kind: .use, prepare: signedIn, act: { try await $0.client.refresh() },
            isDone: { _ in true }),
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

    private static let withIdentity: Step = { person in
        try await signedIn(person)
        let claims = person.service.server.idToken(["sub": .string(person.mail), "email": .string(person.mail)]) ?? ""
        let handle = try person.client.supabase()
        person.note("identities", "\(person.service.identities(of: person.mail))")
        _ = try await handle.link(.idToken(Secret(claims), issuer: "keycloak", nonce: nil))
        person.note("identity", try await handle.identities().first { $0.provider == "keycloak" }?.id ?? "")
    }

    private static let withOthers: Step = { person in
        person.join()
        _ = await person.service.otherSession(person.mail, person.password)
        try await person.signIn()
        person.service.clock.advance(by: .seconds(120))
    }

    private static let isAlone: @Sendable (WalkedPerson) async -> Bool = { person in
        person.service.sessions(of: person.mail).count == 1
    }

    private static let proofs: [PersonFlow] = [
        PersonFlow(
            name: "enrol", kind: .proof, prepare: signedIn, act: enrol, isDone: isRaised),
        PersonFlow(
            name: "verify", kind: .proof,
            prepare: { person in
                try await signedIn(person)
                try await enrol(person)
                _ = try await person.client.signOut()
                try await person.signIn()
                person.service.clock.advance(by: .seconds(120))
            },
            act: { try await $0.client.supabase().verify(factor: $0.note("factor"), code: $0.totp()) },
            isDone: isRaised),
    ]

    private static let enrol: Step = { person in
        let handle = try person.client.supabase()
        let begun = try await handle.enrollTOTP(name: "app \(person.service.number())")
        person.note("factor", begun.id)
        person.note("secret", begun.secret?.revealText() ?? "")
        try await handle.verify(factor: begun.id, code: person.totp())
    }

    private static let isRaised: @Sendable (WalkedPerson) async -> Bool = { person in
        guard let session = await person.session() else { return false }
        return person.service.level(session) == "aal2"
    }

    private static let signOuts: [PersonFlow] = [
        PersonFlow(
            name: "sign-out", kind: .signOut, prepare: signedIn, act: { try await leave($0, .thisSession) },
            isDone: { !$0.service.accepts($0.note("session")) }),
        PersonFlow(
            name: "sign-out-everywhere", kind: .signOut, prepare: withOthers, act: { try await leave($0, .everywhere) },
            isDone: { $0.service.sessions(of: $0.mail).isEmpty }),
    ]

    private static func leave(_ person: WalkedPerson, _ scope: SignOutScope) async throws {
        person.note("result", "\(try await person.client.signOut(scope: scope))")
    }
}

import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySupabase
import LatchkeyTesting

extension PersonFlow {
    static let signIns: [PersonFlow] = [
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
        signIn("wrong-code", { $0.join() }, wrongCode),
        PersonFlow(
            name: "factor-sign-in", kind: .signIn, prepare: withFactor, act: factorSignIn, isDone: isRaised,
            asksForFactors: true),
    ]

    static func signIn(_ name: String, _ prepare: @escaping Step, _ act: @escaping Step) -> PersonFlow {
        PersonFlow(name: name, kind: .signIn, prepare: prepare, act: act, isDone: hasSession)
    }

    static let hasSession: @Sendable (WalkedPerson) async -> Bool = { person in
        guard let session = await person.session() else { return false }
        return person.service.accepts(session)
    }

    static let code: Step = { person in
        let begun = try await person.client.begin(
            .signIn(.code(identifier: person.mail, over: .mail)), with: "supabase")
        guard case .asked(let challenge) = begun else { return }
        _ = try await person.client.answer(.code(person.code()), to: challenge.id)
    }

    /// A wrong code is refused for what it is, and the right one still signs in.
    static let wrongCode: Step = { person in
        let begun = try await person.client.begin(
            .signIn(.code(identifier: person.mail, over: .mail)), with: "supabase")
        guard case .asked(let challenge) = begun else { return }
        try await refused(.refused(.wrongInput)) {
            _ = try await person.client.answer(.code(Secret("000000")), to: challenge.id)
        }
        _ = try await person.client.answer(.code(person.code()), to: challenge.id)
    }

    /// Does what the service must refuse with `code`. Throws what else it met.
    static func refused(_ code: AuthError.Code, _ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as AuthError where error.code == code {
            return
        }
        throw AuthError(.untrusted(.malformed), "The service took what it had to refuse.")
    }

    static let factorSignIn: Step = { person in
        let password = SignInRequest.signIn(.password(identifier: person.mail, Secret(person.password)))
        guard case .asked(let challenge) = try await person.client.begin(password, with: "supabase") else {
            throw AuthError(.untrusted(.malformed), "The sign-in did not ask for the factor.")
        }
        _ = try await person.client.answer(.code(person.totp()), to: challenge.id)
    }

    static let signUp: Step = { person in
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

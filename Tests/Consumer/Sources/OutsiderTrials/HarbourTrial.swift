public import Latchkey
public import LatchkeyTesting

/// What the provider of the harbour is put through: the contract of providers, over the harbour.
public enum HarbourTrial {
    /// The contract over what `make` makes for the harbour's address.
    ///
    /// - Parameter timeLimit: How long a clause may take, in real time.
    public static func contract<Provider: AuthProvider>(
        timeLimit: Duration = .seconds(30), _ make: @escaping @Sendable (_ base: String) -> Provider
    ) -> ProviderContract<Provider> {
        let register = HarbourRegister()
        return ProviderContract(
            [conversation(byPassword), conversation(byVisit), signingUp()],
            refusals: [
                .init(answer(400, "token_spent"), is: .definite), .init(answer(403, "session_ended"), is: .definite),
                .init(answer(403, "skipper_banned"), is: .definite),
                // What is wrong with the app is nobody's sign-out.
                .init(answer(400, "bad_app"), is: nil),
            ],
            refusedSignIns: [
                .init(answer(400, "wrong_password"), is: .refused(.wrongInput)),
                .init(answer(400, "wrong_code"), is: .refused(.wrongInput)),
                .init(answer(400, "code_expired"), is: .refused(.expired)),
                .init(answer(403, "skipper_banned"), is: .refused(.denied)),
                .init(answer(409, "mail_taken"), is: .refused(.other)),
                .init(answer(400, "weak_password"), is: .refused(.passwordNotAccepted)),
                .init(answer(400, "bad_app"), is: .configuration(.clientRefused)),
            ],
            others: [make(HarbourService.address + "/south"), make("https://harbour.example.org")],
            timeLimit: timeLimit
        ) {
            ProviderContract.Setting(
                make(HarbourService.address),
                in: ProviderContext(world: .system, transport: HarbourService(register), cache: KeepingCache()))
        }
    }

    /// As the skipper types it: the harbour knows the mail in any letters.
    private static var byPassword: SignInMethod {
        .password(identifier: "Ada@Example.com", Secret(HarbourService.password))
    }

    private static var byVisit: SignInMethod { .browser() }

    private static func conversation<Provider>(
        _ method: SignInMethod
    ) -> ProviderContract<Provider>.Conversation {
        var options = SignInOptions()
        options.redirect = "https://app.example.com/back"
        return .init(
            .signIn(method), options: options, person: "ada", label: HarbourService.mail,
            endsByDeclining: method.kind == .password,
            answering: { challenge in
                guard case .visit(let url, let redirect) = challenge.ask else {
                    return .code(Secret(HarbourService.code))
                }
                return .redirected(HarbourService.visited(url, redirect))
            },
            erring: { challenge in
                guard case .visit(let url, let redirect) = challenge.ask else { return .code(Secret("00000000")) }
                // The code is good, and the visit was somebody else's.
                return .redirected(HarbourService.visited(url, redirect, state: "of-somebody-else"))
            })
    }

    /// The harbour remembers each skipper, so each has to be another one.
    private static func signingUp<Provider>() -> ProviderContract<Provider>.Conversation {
        .init(making: { name in
            .signUp(SignUpForm(identifier: "\(name)@example.com", password: Secret(HarbourService.password)))
        }) { _ in .code(Secret(HarbourService.code)) }
    }

    private static func answer(_ status: Int, _ code: String) -> TransportResponse {
        TransportResponse(status: status, body: Array(#"{"error":"\#(code)"}"#.utf8))
    }
}

public import Latchkey
import LatchkeySystem

extension ProviderContract {
    /// One way to sign in, with a person who answers.
    public struct Conversation: Sendable {
        private let making: @Sendable (_ name: String) -> SignInRequest
        /// Whether each request is another one.
        let isFresh: Bool
        let options: SignInOptions
        let answering: @Sendable (Challenge) async throws -> Answer
        let erring: @Sendable (Challenge) async throws -> Answer?
        let person: String?
        let label: String?
        let endsByDeclining: Bool
        let pages: [String]?
        let lacksProofKey: Bool

        /// What the conversation begins with. A fresh one is another each time.
        var request: SignInRequest {
            making(PluginContext.system.randomName(bytes: 8))
        }

        /// Creates a conversation that begins with `request`. The closure answers each challenge.
        ///
        /// - Parameters:
        ///   - request: What the conversation begins with.
        ///   - options: The options of the sign-in.
        ///   - person: A name for the person who signs in. Conversations with the same name must lead to
        ///     one account; `nil` means not stated.
        ///   - label: The label that the session must get; `nil` means not stated.
        ///   - endsByDeclining: Whether the service keeps a half-finished sign-in and learns that the
        ///     person declined, so that the right answer to the first challenge then comes too late.
        ///   - pages: Addresses at whose origins a visit may begin, besides the authority of the binding; `nil` if the
        ///     service sends people wherever it likes.
        ///   - lacksProofKey: Whether the service takes no proof key (RFC 7636) for a visit.
        ///   - answering: Returns the right answer to a challenge. Default: declines.
        ///   - erring: Returns a wrong answer: a code that was not sent, or an address with another
        ///     person's code, as an attacker would send. `nil` means that this challenge has none.
        public init(
            _ request: SignInRequest, options: SignInOptions = SignInOptions(), person: String? = nil,
            label: String? = nil, endsByDeclining: Bool = false, pages: [String]? = [], lacksProofKey: Bool = false,
            answering: @escaping @Sendable (Challenge) async throws -> Answer = { _ in .declined },
            erring: @escaping @Sendable (Challenge) async throws -> Answer? = { _ in nil }
        ) {
            making = { _ in request }
            isFresh = false
            (self.options, self.person, self.label) = (options, person, label)
            (self.endsByDeclining, self.pages, self.lacksProofKey) = (endsByDeclining, pages, lacksProofKey)
            (self.answering, self.erring) = (answering, erring)
        }

        /// Creates a conversation that begins with another request each time, for a service that remembers: it creates an
        /// account only once for each name.
        ///
        /// - Parameters:
        ///   - making: Returns a request. It gets letters and digits that no earlier request had, also in an earlier run.
        ///   - options: The options of the sign-in.
        ///   - answering: Returns the right answer to a challenge. Default: declines.
        ///   - erring: Returns a wrong answer; `nil` means that this challenge has none.
        public init(
            making: @escaping @Sendable (_ name: String) -> SignInRequest, options: SignInOptions = SignInOptions(),
            answering: @escaping @Sendable (Challenge) async throws -> Answer = { _ in .declined },
            erring: @escaping @Sendable (Challenge) async throws -> Answer? = { _ in nil }
        ) {
            self.making = making
            isFresh = true
            (self.options, person, label) = (options, nil, nil)
            (endsByDeclining, pages, lacksProofKey) = (false, [], false)
            (self.answering, self.erring) = (answering, erring)
        }

        /// The same conversation, which also adds to `typed` what is typed at its start, and what is answered.
        func noting(_ typed: Locked<[Secret]>) -> Conversation {
            let (making, answering) = (making, answering)
            return Conversation(
                making: { name in
                    let request = making(name)
                    typed.withLock { $0 += request.secrets }
                    return request
                }, options: options
            ) { challenge in
                let answer = try await answering(challenge)
                typed.withLock { $0 += answer.secrets }
                return answer
            }
        }
    }

    /// An answer of the service to a refresh, and the error that the provider must throw for it.
    public struct RefusedRefresh: Sendable {
        let answer: TransportResponse
        let kind: Refusal.Kind?

        /// Creates an answer with its expected error.
        ///
        /// - Parameters:
        ///   - answer: The service's answer.
        ///   - kind: The kind of ``/Latchkey/Refusal``; `nil` means another error, which ends no session.
        public init(_ answer: TransportResponse, is kind: Refusal.Kind?) {
            self.answer = answer
            self.kind = kind
        }
    }

    /// An answer of the service to a step of a sign-in, and the error that the provider must throw for it.
    public struct RefusedSignIn: Sendable {
        let answer: TransportResponse
        let code: AuthError.Code
        let isAbout: @Sendable (SignInRequest) -> Bool

        /// Creates an answer with its expected error.
        ///
        /// - Parameters:
        ///   - answer: The service's answer, to each request of a sign-in.
        ///   - code: The error's code, such as `refused(.wrongInput)` for what the person can correct.
        ///   - isAbout: Which sign-ins the service may answer so. Default: each.
        public init(
            _ answer: TransportResponse, is code: AuthError.Code,
            where isAbout: @escaping @Sendable (SignInRequest) -> Bool = { _ in true }
        ) {
            (self.answer, self.code, self.isAbout) = (answer, code, isAbout)
        }
    }

    /// A provider and the service it talks to.
    public struct Setting: Sendable {
        let provider: Provider
        let context: ProviderContext
        let other: Provider?

        /// Creates a setting of a provider and the context that its calls get.
        ///
        /// - Parameters:
        ///   - provider: The provider.
        ///   - context: What its calls get.
        ///   - other: Another value of the provider, as another process has it, at the same service; `nil` if that of the
        ///     next setting is.
        ///
        /// The context's cache must keep values as the engine's does: the clauses about refreshes
        /// take the first request for the one that spends the credential.
        public init(_ provider: Provider, in context: ProviderContext, beside other: Provider? = nil) {
            self.provider = provider
            self.context = context
            self.other = other
        }
    }
}

extension ProviderContract.Setting {
    /// The same provider over another transport.
    func over(_ transport: any HTTPTransport) -> Self { Self(provider, in: context(over: transport)) }
}

import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

/// A provider that sends a request in each call of a conversation, of either kind.
private struct SpendingProvider: AuthProvider {
    let inner = ScriptedProvider()
    /// Whether the request of a call spends something.
    let spends: Bool
    /// Whether another one was answered before.
    var isAfterwards = false
    var rules: ProviderRules { inner.rules }

    func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn {
        let asked = TransportRequest("POST", "https://id.example.com/first")
        if isAfterwards { _ = try await context.send(asked) }
        let last = TransportRequest("POST", "https://id.example.com/last")
        _ = try await spends ? context.send(last) : context.lookUp(last)
        return try await inner.begin(request, options, in: context)
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        try await inner.answer(answer, to: challenge, in: context)
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        try await inner.refresh(credential, for: want, in: context)
    }
}

/// Notes how long each request may take, and fails as it is told.
private final class FailingTransport: HTTPTransport {
    private let deadlines = Locked<[Duration]>([])
    let failure: TransportError

    init(_ failure: TransportError) { self.failure = failure }

    var noted: [Duration] { deadlines.withLock { $0 } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        deadlines.withLock { $0.append(deadline) }
        if request.url.hasSuffix("/first") { return TransportResponse(status: 200, body: []) }
        throw failure
    }
}

@Suite("An answer that is lost") struct LostAnswerTests {
    private func signIn(
        _ provider: SpendingProvider, _ failure: TransportError, _ settings: EngineSettings = EngineSettings()
    ) async throws -> (error: AuthError?, deadlines: [Duration]) {
        let transport = FailingTransport(failure)
        let world = PluginContext.testing(clock: ManualClock())
        let auth = try AuthClient.Builder().provider(provider).store(MemoryStore(context: world)).transport(transport)
            .context(world).settings(settings).build()
        var found: AuthError?
        do { _ = try await auth.signIn(with: "scripted", .anonymous) } catch { found = error }
        return (found, transport.noted)
    }

    @Test(
        "a request that may have spent something and got no answer is told so, with what to do",
        arguments: [TransportError.Code.timedOut, .interrupted])
    func lost(_ code: TransportError.Code) async throws {
        let (found, deadlines) = try await signIn(
            SpendingProvider(spends: true), TransportError(code, wasSent: true))
        let error = try #require(found)
        #expect(error.code == .offline(.signIn) && error.isAnswerLost)
        #expect(error.message.hasSuffix("its answer is lost: begin anew."))
        #expect(Set(TextLanguage.allCases.map { error.text(in: $0) }).count == TextLanguage.allCases.count)
        #expect(deadlines == [.seconds(60)])
    }

    @Test("what did not leave, and what spends nothing, is told as before")
    func notLost() async throws {
        let sent = TransportError(.timedOut, wasSent: true)
        for (spends, failure) in [(true, TransportError(.timedOut, wasSent: false)), (false, sent)] {
            let (error, deadlines) = try await signIn(SpendingProvider(spends: spends), failure)
            #expect(error?.code == .offline(.signIn) && error?.isAnswerLost == false)
            #expect(deadlines == [.seconds(spends ? 60 : 10)])
        }
        let tooLarge = try await signIn(SpendingProvider(spends: true), TransportError(.tooLarge, wasSent: true))
        #expect(tooLarge.error?.isAnswerLost == false)
    }

    @Test("a look-up that the answer to a request waits for has the time of that request")
    func lookUpAfterwards() async throws {
        let (error, deadlines) = try await signIn(
            SpendingProvider(spends: false, isAfterwards: true), TransportError(.timedOut, wasSent: true))
        #expect(error?.isAnswerLost == false)
        #expect(deadlines == [.seconds(60), .seconds(60)])
    }

    @Test("the longer time is never the shorter one")
    func order() async throws {
        var settings = EngineSettings()
        (settings.requestDeadline, settings.familyDeadline) = (.seconds(90), .seconds(60))
        let failure = TransportError(.timedOut, wasSent: true)
        #expect(try await signIn(SpendingProvider(spends: true), failure, settings).deadlines == [.seconds(90)])
    }
}

import FoundationEssentials
import Latchkey
import LatchkeyLog
import LatchkeyMetrics
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyTesting
import Proofs
import Testing

/// Law 10: no token, code, password, verifier, key, header or body appears in any text.
@Suite struct CanaryTests {
    /// Keeps the text of everything it sees, dumped and described.
    private final class Talker: AuthObserver, CustomReflectable {
        private let words = Locked("")
        /// Its own notes are no leak.
        var customMirror: Mirror { Mirror(self, children: []) }
        var text: String { words.withLock { $0 } }
        func say<Value>(_ value: Value) {
            var dumped = ""
            dump(value, to: &dumped)
            let text = "\(value)\n\(String(reflecting: value))\n\(dumped)\n"
            words.withLock { $0 += text }
        }
        func write(_ line: String) { words.withLock { $0 += "\(line)\n" } }
        func observe(_ observation: AuthObservation) { say(observation) }
    }

    private static let mark = "CANARY-4f1d8c"

    @Test(
        "every secret that crosses the wire stays out of events, observations, logs, metrics, errors and dumps",
        .law(10), .standard(17), .need("R7", "D4"), .complaint(.supabase, 23)
    )
    func realService() async throws {
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        let folder = TemporaryFolder()
        let talker = Talker()
        let metrics = MetricsObserver()
        let transport = SecretCollector(CurlTransport())
        var settings = EngineSettings()
        settings.refresh = .onDemand
        // What waits for a request that may still arrive waits for this long.
        settings.requestDeadline = .milliseconds(500)
        settings.familyDeadline = settings.requestDeadline
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: server.issuer, clientID: "dev-native"))
            .provider(.oauth(issuer: server.issuer, clientID: "dev-device", named: "device"))
            .store(.file(unencryptedAt: "\(folder.path)/store")).transport(transport)
            .observer(talker).observer(LogObserver(.lines) { talker.write($0) })
            .observer(LogObserver(.jsonLines) { talker.write($0) }).observer(metrics).settings(settings).build()
        let events = auth.events

        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { url in
            let response = try await transport.send(TransportRequest("GET", url), deadline: .seconds(10))
            return response.fields["Location"] ?? ""
        }
        talker.say(try await auth.signIn(with: "oauth", .browser(), asking: browser))
        talker.say(try await auth.accessToken())
        talker.say(try await auth.refresh())
        await refusals(auth, transport, talker, at: server.issuer)
        talker.say(try await auth.accounts())
        talker.say(
            try await auth.perform(replay: .fixed) { credential, context in
                talker.say(credential)
                talker.say(context)
                return (CredentialChange(), "done")
            })
        await code(talker) { try await poll(auth) }
        await code(talker) { try await auth.begin(.signIn(.browser()), with: "oauth") }
        talker.say(try await auth.pendingChallenges())
        for response in Self.forgeries {
            for path in ["/token", "/userinfo", "/openid-configuration", "/jwks", "/revoke", "/device_authorization"] {
                transport.forge(SecretCollector.Forgery(path: path, response: response))
                await code(talker) { try await auth.refresh() }
                await code(talker) { try await poll(auth) }
                await code(talker) { try await auth.signIn(with: "oauth", .browser(), asking: browser) }
            }
        }
        transport.forge(nil)
        talker.say(try await auth.signOut())
        talker.say(auth)
        for await event in events {
            talker.say(event)
            if case .signedOut = event { break }
        }

        talker.say(metrics)
        talker.write(metrics.exposition())

        let secrets = transport.secrets
        #expect(secrets.count >= 8, "the test saw too few secrets to mean anything")
        let text = talker.text
        for word in [
            "Z refresh provider=oauth ", #""event":"signOut""#, "latchkey_requests_total{", "latchkey_refusals_total{",
            "latchkey_first_tokens_total{", "latchkey_lock_waits_total{", "Z firstToken source=signedIn ",
            #""event":"refusal","class":"canary","cause":"notAccepted""#, "Z signInRequired provider=oauth ",
        ] {
            #expect(text.contains(word), "an observer was not heard")
        }
        let isMarked = text.contains(Self.mark)
        #expect(!isMarked, "a foreign text was repeated")
        let shown = secrets.filter { text.contains($0) }.map(\.utf8.count)
        #expect(shown.isEmpty, "secrets of these sizes were shown")
    }

    /// Answers that try to get a text repeated.
    private static let forgeries: [TransportResponse] = [
        TransportResponse(
            status: 400, fields: ["Content-Type": "application/json"],
            body: Array(#"{"error":"\#(mark)","error_description":"\#(mark)","error_uri":"\#(mark)"}"#.utf8)),
        TransportResponse(status: 401, fields: ["WWW-Authenticate": "Bearer error=\"\(mark)\", realm=\"\(mark)\""]),
        TransportResponse(status: 302, fields: ["Location": "https://example.com/\(mark)"]),
        TransportResponse(status: 500, fields: ["Content-Type": "text/html"], body: Array("<p>\(mark)".utf8)),
        TransportResponse(
            status: 200, fields: ["Content-Type": "application/json"],
            body: Array(
                #"{"access_token":7,"\#(mark)":"\#(mark)","token_type":"\#(mark)","issuer":"\#(mark)","keys":"\#(mark)"}"#
                    .utf8)),
        TransportResponse(
            status: 200, fields: ["Content-Type": "application/json"],
            body: Array(
                #"{"access_token":"\#(mark)","token_type":"\#(mark)","id_token":"\#(mark).\#(mark).\#(mark)"}"#.utf8)),
    ]

    /// Sends requests whose address, fields and answers hold the mark, to a resource that refuses every token.
    private func refusals(
        _ auth: AuthClient, _ transport: SecretCollector, _ talker: Talker, at origin: String
    ) async {
        let refusal = TransportResponse(
            status: 401, fields: ["WWW-Authenticate": "Bearer error=\"\(Self.mark)\""], body: Array(Self.mark.utf8))
        transport.forge(SecretCollector.Forgery(path: Self.mark, response: refusal))
        await code(talker) {
            let api = try auth.authorized(transport, origins: [origin], originClass: "canary")
            let request = TransportRequest(
                "GET", "\(origin)/resource?token=\(Self.mark)", fields: ["Cookie": Self.mark])
            for _ in 1...2 { talker.say(try await api.send(request, deadline: .seconds(10)).status) }
        }
        transport.forge(nil)
    }

    /// Asks for a device code and whether somebody has approved it, once.
    private func poll(_ auth: AuthClient) async throws -> SignInStep {
        guard case .asked(let challenge) = try await auth.begin(.signIn(.device), with: "device") else {
            throw CancellationError()
        }
        return try await auth.answer(.poll, to: challenge.id)
    }

    private func code<Value>(_ talker: Talker, _ work: () async throws -> Value) async {
        do {
            talker.say(try await work())
        } catch {
            talker.say(error)
            talker.say((error as? AuthError)?.message ?? "")
        }
    }
}

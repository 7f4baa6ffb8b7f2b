import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyTesting

/// A process that refreshes a login which others share, until it is killed, and tells of it:
///
/// | Line | Meaning |
/// | --- | --- |
/// | `r N` | ready |
/// | `s N Q` | request Q leaves, to the token endpoint |
/// | `a N` | a refresh returned to its caller |
/// | `e N CODE` | the login is over, says the engine; a person is asked to sign in |
/// | `b N` | a person wants to sign in, over whatever is there |
/// | `n N` | that returned to its caller |
/// | `f N CODE` | something failed that the caller would try again |
struct Refresher {
    /// How long a request may take, and so how long one waits for a dead process's.
    static let requestDeadline = Duration.seconds(1)

    private let number: Int
    private let directory: String
    private let issuer: String
    private let replay: ProviderRules.RefreshRule
    private let beginsWithSignIn: Bool

    init?(_ words: [String]) {
        guard words.count == 5, let number = Int(words[0]), let kind = ServiceKind(rawValue: words[3]) else {
            return nil
        }
        (self.number, directory, issuer) = (number, words[1], words[2])
        replay = kind.replay
        beginsWithSignIn = words[4] == "sign-in"
    }

    func run() async {
        System.stepBack()
        let network = CurlTransport()
        guard let auth = try? client(network) else { return System.say("f \(number) build") }
        System.say("r \(number)")
        if beginsWithSignIn {
            System.say("b \(number)")
            await signIn(auth, network)
        }
        while true {
            do {
                _ = try await auth.refresh()
                System.say("a \(number)")
            } catch {
                guard case .signInRequired = error.code else {
                    System.say("f \(number) \(error.code.name)")
                    try? await Task.sleep(for: .milliseconds(20))
                    continue
                }
                System.say("e \(number) \(error.code.name)")
                await signIn(auth, network)
            }
            // A service that rests answers at once, again and again.
            try? await Task.sleep(for: .milliseconds(3))
        }
    }

    private func client(_ network: CurlTransport) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.followsStore = false
        settings.requestDeadline = Self.requestDeadline
        var provider = OAuthProvider(issuer: issuer, clientID: "dev-native")
        provider.refreshRule = replay
        return try AuthClient.Builder().provider(provider).store(.file(unencryptedAt: directory))
            .transport(Announcing(number: number, real: network)).settings(settings).build()
    }

    private func signIn(_ auth: AuthClient, _ network: CurlTransport) async {
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { url in
            try await network.send(TransportRequest("GET", url), deadline: .seconds(10)).fields["Location"] ?? ""
        }
        do {
            _ = try await auth.signIn(with: "oauth", .browser(), asking: browser)
            System.say("n \(number)")
        } catch {
            System.say("f \(number) \(error.code.name)")
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Says when a request to the token endpoint leaves, and lets the service know whose it is.
private final class Announcing: HTTPTransport {
    private let number: Int
    private let real: CurlTransport
    private let count = Locked(0)

    init(number: Int, real: CurlTransport) { (self.number, self.real) = (number, real) }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var request = request
        if WebAddress(request.url)?.path == "/token" {
            let sender = Sender(
                process: number,
                request: count.withLock { count in
                    count += 1
                    return count
                })
            request.fields["User-Agent"] = sender.agent
            System.say("s \(number) \(sender.request)")
        }
        return try await real.send(request, deadline: deadline)
    }
}

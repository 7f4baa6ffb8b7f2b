import Foundation
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyOAuthCore
import Testing

@Suite("Two people at one OAuth service") struct PeopleTests {
    /// The service, at each of whose requests the other person becomes the current one.
    private final class Crossing: HTTPTransport {
        let inner: BentNetwork
        let switches = Locked<(@Sendable () async throws -> Void)?>(nil)

        init(_ inner: BentNetwork) { self.inner = inner }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            try await switches.withLock { $0 }?()
            return try await inner.send(request, deadline: deadline)
        }
    }

    /// Each call, with the subject that its result names.
    private static let calls: [(name: String, make: @Sendable (OAuthHandle) async throws -> String?)] = [
        ("claims", { try await $0.claims?.subject }),
        ("refreshClaims", { try await $0.refreshClaims().subject }),
        ("idToken", { IDToken.claims(ofKept: try await $0.idToken().value)?["sub"]?.string }),
        (
            "idToken",
            { IDToken.claims(ofKept: try await $0.idToken(minimumValidity: .seconds(86_400)).value)?["sub"]?.string }
        ),
    ]

    @Test("a call that names no account acts for the person who is current when it begins, and for no other")
    func people() async throws {
        let scene = try PersonScene()
        let crossing = Crossing(scene.network)
        let auth = try scene.process { $0.transport(crossing) }
        var people: [AccountID] = []
        for name in ["ada", "grace"] {
            people.append(try await scene.signIn(auth, as: name).account)
        }
        var (calls, wrong) = (0, 0)
        for (isSwitched, isRejected) in [(false, false), (true, false), (true, true)] {
            for index in 0...1 {
                for call in Self.calls {
                    try await auth.switchAccount(to: people[index])
                    let other = people[1 - index]
                    if isSwitched { crossing.switches.withLock { $0 = { try await auth.switchAccount(to: other) } } }
                    if isRejected, call.name == "refreshClaims" {
                        scene.network.answer(401, "", ["WWW-Authenticate": #"Bearer error="invalid_token""#])
                    }
                    let subject = try await call.make(auth.oauth())
                    crossing.switches.withLock { $0 = nil }
                    calls += 1
                    let own = ["user-ada", "user-grace"][index]
                    if subject != own {
                        wrong += 1
                        Issue.record("\(call.name): \(subject ?? "nobody"), and not \(own)")
                    }
                }
            }
        }
        print("people: handle=oauth calls=\(calls) wrong_person=\(wrong)")
        #expect(wrong == 0)
    }

    @Test("no call of the handle is left out")
    func complete() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let folder = "\(root)/Plugins/Providers/LatchkeyOAuth/Handle"
        var found: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasPrefix("OAuthHandle") {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            found.formUnion(
                text.matches(of: /public (?:func (\w+)\(|var (\w+): \w+\? \{)/).map { String($0.1 ?? $0.2 ?? "") })
        }
        #expect(found.subtracting(["oauth"]) == Set(Self.calls.map(\.name)))
    }
}

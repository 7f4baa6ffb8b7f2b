import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeySystem
import Testing

@testable import LatchkeyClerk

@Suite("Two people at one Clerk client", .serialized) struct PeopleTests {
    /// What happens while a call is made.
    enum Manner: CaseIterable {
        case steady
        /// Another task makes the other person the current one at each request.
        case switched
        /// So it is, and the service does not know the session at the first request.
        case switchedAndRejected
    }

    /// The service, and what happens at its requests.
    private final class Crossing: HTTPTransport {
        struct State {
            var manner = Manner.steady
            var other: AccountID?
            var auth: AuthClient?
            var urls: [String] = []
        }

        let inner: NotedTransport
        let state = Locked(State())

        init(_ inner: NotedTransport) { self.inner = inner }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            let (state, isFirst) = self.state.withLock { state in
                state.urls.append(request.url)
                return (state, state.urls.count == 1)
            }
            guard state.manner != .steady, let other = state.other, let auth = state.auth else {
                return try await inner.send(request, deadline: deadline)
            }
            // A sign-out chooses the current account by itself.
            try? await auth.switchAccount(to: other)
            if state.manner == .switchedAndRejected, isFirst {
                return TransportResponse(status: 401, body: Array(#"{"errors":[{"code":"signed_out"}]}"#.utf8))
            }
            return try await inner.send(request, deadline: deadline)
        }

        /// The sessions that the requests name.
        var sessions: Set<String> {
            Set(
                state.withLock { $0.urls }.compactMap { url in
                    url.firstMatch(of: /(?:_clerk_session_id=|\/client\/sessions\/)(sess_[0-9A-Za-z]+)/).map {
                        String($0.1)
                    }
                })
        }
    }

    private struct Two {
        let scene: Scene
        let auth: AuthClient
        let crossing: Crossing
        let people: [AuthSession]

        init() async throws {
            scene = try Scene { clerk in
                for index in clerk.users.indices {
                    (clerk.users[index].totp, clerk.users[index].backupCodes) = (nil, [])
                }
            }
            crossing = Crossing(scene.transport)
            auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(crossing).build()
            let ada = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
            let grace = try await auth.signIn(
                with: "clerk", .password(identifier: Scene.grace, Secret("grace-password")))
            people = [ada, grace]
            crossing.state.withLock { $0.auth = auth }
        }

        /// Makes a call for the current account, and returns the sessions that its requests named.
        func sessions(of call: PeopleCall, as index: Int, _ manner: Manner) async throws -> Set<String> {
            try await auth.switchAccount(to: people[index].account)
            crossing.state.withLock { ($0.urls, $0.manner, $0.other) = ([], manner, people[1 - index].account) }
            defer { crossing.state.withLock { $0.manner = .steady } }
            try? await call.make(auth.clerk())
            return crossing.sessions
        }
    }

    @Test("a call that names no account acts for the person who is current when it begins, and for no other")
    func people() async throws {
        var (calls, wrong) = (0, 0)
        for manner in Manner.allCases {
            for index in 0...1 {
                let two = try await Two()
                for call in PeopleCall.all {
                    let own = two.people[index].id.value
                    let named = try await two.sessions(of: call, as: index, manner)
                    calls += 1
                    if call.namesSession ? named != [own] : !named.isSubset(of: [own]) {
                        wrong += 1
                        Issue.record("\(call.name), \(manner): \(named), and not \(own)")
                    }
                }
                // The last call has deleted one person.
                #expect(try await two.auth.accounts().map(\.id) == [two.people[1 - index].account])
                #expect(two.scene.server.clerkSessionCount == 1)
            }
        }
        print("people: handle=clerk calls=\(calls) wrong_person=\(wrong)")
        #expect(wrong == 0)
    }

    @Test("no call of the handle is left out")
    func complete() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let folder = "\(root)/Plugins/Providers/LatchkeyClerk/Handle"
        var found: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasPrefix("ClerkHandle") {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            found.formUnion(text.matches(of: /public func (\w+)\(/).map { String($0.1) })
        }
        #expect(found.subtracting(["clerk"]) == Set(PeopleCall.all.map(\.name)))
    }
}

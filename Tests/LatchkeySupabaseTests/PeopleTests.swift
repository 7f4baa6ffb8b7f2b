import Foundation
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("Two people at one Supabase project") struct PeopleTests {
    /// What happens while a call is made.
    enum Manner: CaseIterable {
        case steady
        /// Another task makes the other person the current one at each request.
        case switched
        /// So it is, and the service rejects the access token at the first request.
        case switchedAndRejected
    }

    /// A service that knows two people, by their access tokens and refresh tokens.
    private final class Service: HTTPTransport {
        struct State {
            var manner = Manner.steady
            /// The subject of the person that the call is for, and the account of the other one.
            var own = ""
            var other: AccountID?
            var auth: AuthClient?
            var subjects: [String] = []
            var hasRejected = false
        }

        let state = Locked(State())

        static func session(of subject: String) -> JSON {
            LatchkeySupabaseTests.session(
                refresh: "r-\(subject)", claims: ["sub": .string(subject), "session_id": .string("s-\(subject)")],
                user: ["id": .string(subject), "email": .string("\(subject)@example.test")],
                more: ["provider_token": .string("gh-\(subject)")])
        }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            let body = (request.body).flatMap { try? JSON.parse($0) }
            if request.url.contains("grant_type=password") {
                let name = body?["email"]?.string?.split(separator: "@").first.map(String.init) ?? ""
                return answer(Self.session(of: name))
            }
            let bearer = request.fields["Authorization"].map { Secret(String($0.dropFirst("Bearer ".count))) }
            let refreshed = body?["refresh_token"]?.string.map { String($0.dropFirst("r-".count)) }
            let subject = refreshed ?? bearer.flatMap { AccessClaims(of: $0).subject }
            let (state, rejects) = self.state.withLock { state in
                if let subject { state.subjects.append(subject) }
                let rejects = state.manner == .switchedAndRejected && !state.hasRejected && bearer != nil
                if rejects { state.hasRejected = true }
                return (state, rejects)
            }
            if state.manner != .steady, let other = state.other { try await state.auth?.switchAccount(to: other) }
            if rejects { return answer(["code": "bad_jwt", "message": "no"], 403) }
            if request.url.contains("/logout") { return TransportResponse(status: 204) }
            let person = Self.session(of: subject ?? state.own)
            if request.url.hasSuffix("/user") { return answer(person["user"] ?? .null) }
            return answer(["/token", "/verify"].contains { request.url.contains($0) } ? person : ["id": "c1"])
        }

        private func answer(_ body: JSON, _ status: Int = 200) -> TransportResponse {
            var fields: HeaderFields = ["X-Supabase-Api-Version": "2024-01-01"]
            if let code = body["code"]?.string { fields.add("x-sb-error-code", code) }
            return TransportResponse(status: status, fields: fields, body: body.serialized())
        }
    }

    private static let names = ["ada", "grace"]

    private struct Two {
        let auth: AuthClient
        let service = Service()
        var people: [AccountID] = []

        init() async throws {
            let scene = Scene()
            var settings = EngineSettings()
            settings.refresh = .onDemand
            auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(service)
                .context(scene.world).settings(settings).build()
            for name in PeopleTests.names {
                let method = SignInMethod.password(identifier: "\(name)@example.test", Secret("correct horse"))
                people.append(try await auth.signIn(with: "supabase", method).account)
            }
            service.state.withLock { $0.auth = auth }
        }

        /// Makes a call for the current account, and returns the people that its requests and its result are about.
        func subjects(of call: PeopleCall, as index: Int, _ manner: Manner) async throws -> Set<String> {
            try await auth.switchAccount(to: people[index])
            service.state.withLock { state in
                (state.manner, state.own, state.other) = (manner, PeopleTests.names[index], people[1 - index])
                (state.subjects, state.hasRejected) = ([], false)
            }
            defer { service.state.withLock { $0.manner = .steady } }
            let shown = try? await call.make(auth.supabase())
            let word = shown.map { String($0.revealText().dropFirst("gh-".count)) }
            return Set(service.state.withLock { $0.subjects } + [word].compactMap(\.self))
        }
    }

    @Test("a call that names no account acts for the person who is current when it begins, and for no other")
    func people() async throws {
        var (calls, wrong) = (0, 0)
        for manner in Manner.allCases {
            for index in 0...1 {
                let two = try await Two()
                let own = Self.names[index]
                for call in PeopleCall.all + [Self.opening(own)] {
                    let named = try await two.subjects(of: call, as: index, manner)
                    calls += 1
                    if named != [own] {
                        wrong += 1
                        Issue.record("\(call.name), \(manner): \(named), and not \(own)")
                    }
                }
                #expect(Set(try await two.auth.accounts().map(\.id)) == Set(two.people))
            }
        }
        print("people: handle=supabase calls=\(calls) wrong_person=\(wrong)")
        #expect(wrong == 0)
    }

    /// Opens the link that a change of `subject`'s mail address ends with.
    private static func opening(_ subject: String) -> PeopleCall {
        PeopleCall("open") { handle in
            let token = Service.session(of: subject)["access_token"]?.string ?? ""
            let link = "app://cb#access_token=\(token)&refresh_token=r-\(subject)&expires_in=3600&token_type=bearer"
            _ = try await handle.open(Secret(link + "&type=email_change"))
        }
    }

    @Test("no call of the handle is left out")
    func complete() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let folder = "\(root)/Plugins/Providers/LatchkeySupabase/Handle"
        var found: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasPrefix("SupabaseHandle") {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            found.formUnion(text.matches(of: /public func (\w+)\(/).map { String($0.1) })
        }
        #expect(found.subtracting(["supabase", "open"]) == Set(PeopleCall.all.map(\.name)))
    }
}

import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// Answers to a refresh that no honest service gives: over real sockets, edited on their way.
@Suite struct HostileAnswerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What stands in place of the member; `nil`: nothing does.
        var member: String
        var value: JSON?
        /// What five calls in a row come to, and how many requests they make.
        var calls: [String]
        var requests = 1
        /// What the next process gets, when the first request can no longer arrive.
        var after = "ok"

        init(_ member: String, _ value: JSON?, _ first: String, then rest: String, requests: Int = 1, after: String) {
            testDescription = "\(member) \(value.map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "absent")"
            (self.member, self.value, self.requests, self.after) = (member, value, requests, after)
            calls = [first] + Array(repeating: rest, count: 4)
        }

        /// An answer that is not believed. Its refresh token is kept, since the one that was sent is spent.
        static func refused(_ member: String, _ value: JSON?) -> Row {
            Row(member, value, "untrusted.malformed", then: "untrusted.malformed", after: "ok")
        }

        /// A token that lasts: one request for all five.
        static func lasting(_ value: JSON?) -> Row { Row("expires_in", value, "ok", then: "ok", after: "ok") }

        /// A token that has ended as it comes: handed out to who asked for it, and not asked for again at once.
        static func ended(_ value: JSON) -> Row { Row("expires_in", value, "ok", then: "serviceTrouble", after: "ok") }

        static let all = [
            refused("access_token", nil), refused("access_token", ""), refused("access_token", 7),
            refused("access_token", ["a"]),
            ended(0), ended(-1), ended(-1e300), ended("0"), ended("-5"),
            lasting(3_155_760_000), lasting(1e300), lasting("300"), lasting("soon"), lasting(nil), lasting([300]),
            lasting(true), lasting(0.5e9), lasting(.integer(.max)),
        ]
    }

    @Test(
        "an odd answer to a refresh is believed in nothing that is wrong, and never asked for in a loop",
        arguments: Row.all)
    func oddAnswers(_ row: Row) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        _ = try await service.signedIn()
        let odd = EditedRefreshes(real: service.transport) { $0[row.member] = row.value }
        let auth = try service.process(through: odd)
        service.clock.advance(by: .seconds(301))
        var calls: [String] = []
        for _ in row.calls { calls.append(await outcome { try await auth.accessToken() }) }
        #expect(calls == row.calls)
        #expect(refreshes(service) == row.requests)
        if let until = try await auth.accounts().first?.accessUntil {
            // Ten years are the most that is believed.
            #expect(until <= service.clock.wall().addingTimeInterval(315_360_001))
        }
        service.clock.advance(by: .seconds(120))
        let next = try service.process()
        #expect(await outcome { try await next.accessToken() } == row.after)
        if row.after == "ok" { #expect(await outcome { try await next.refresh() } == "ok") }
    }

    @Test("tokens that end as they come are asked for in growing intervals, at most each minute", .law(13))
    func noLoop() async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        _ = try await service.signedIn()
        let odd = EditedRefreshes(real: service.transport) { $0["expires_in"] = 0 }
        let auth = try service.process(through: odd)
        service.clock.advance(by: .seconds(301))
        for _ in 0..<3_600 {
            _ = await outcome { try await auth.accessToken() }
            service.clock.advance(by: .seconds(1))
        }
        // 60 minutes, of which the first is the doubling from one second up.
        #expect((60...130).contains(refreshes(service)), "\(refreshes(service)) requests for 3,600 calls in an hour")
        print("odd: lifetime=0 calls=3600 seconds=3600 requests=\(refreshes(service))")
    }

    @Test("an answer about another person is refused, and nothing of it is shown", .standard(44))
    func anotherSubject() async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let auth = try await service.signedIn()
        let account = try #require(auth.currentAccount)
        service.server.reassign(subject: "user-ada", to: "user-grace")
        service.clock.advance(by: .seconds(301))
        #expect(await outcome { try await auth.accessToken() } == "untrusted.subject")
        #expect(auth.currentToken() == nil)
        #expect(try await auth.accounts().map(\.id) == [account])
        service.clock.advance(by: .seconds(120))
        // The service goes on as it was, and no session is lost over it.
        #expect(await outcome { try await service.process().accessToken() } == "untrusted.subject")
        service.server.reassign(subject: "user-grace", to: "user-ada")
        service.clock.advance(by: .seconds(120))
        #expect(await outcome { try await service.process().accessToken() } == "ok")
    }

    @Test("ten megabytes of answer are not read, and the login is what the service's rules leave of it", .standard(52))
    func tenMegabytes() async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let auth = try await service.signedIn()
        service.clock.advance(by: .seconds(301))
        var fault = DevServer.Fault(.oversize, at: .token, grant: .refreshToken)
        fault.bytes = 10 << 20
        #expect(service.server.inject(fault))
        #expect(await outcome { try await auth.accessToken() } == "untrusted.malformed")
        service.clock.advance(by: .seconds(120))
        #expect(await outcome { try await service.process().accessToken() } == "signInRequired.interrupted")
    }

    @Test(
        "an answer after the deadline is nobody's: it is neither shown nor stored, and the next process settles it",
        .law(6), .standard(52),
        arguments: [
            (DevServer.Rotation.strict, "signInRequired.interrupted"), (.graceSameSuccessor, "ok"),
            (.graceNewSuccessor, "ok"),
        ])
    func afterTheDeadline(_ rotation: DevServer.Rotation, _ after: String) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        #expect(service.server.configure { $0.rotation = rotation })
        #expect(service.server.configure { $0.rotationGrace = 600 })
        _ = try await service.signedIn()
        let auth = try service.process(requestDeadline: .milliseconds(200))
        service.clock.advance(by: .seconds(301))
        service.server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken))
        #expect(await outcome { try await auth.accessToken() } == "offline.unreachable")
        #expect(service.server.release() == 1)
        #expect(auth.currentToken() == nil)
        #expect(try StoredLogin(below: service.folder.path).hasMark)
        service.clock.advance(by: .seconds(120))
        #expect(await outcome { try await service.process().accessToken() } == after)
    }

    private func refreshes(_ service: FaultyService) -> Int {
        service.server.log().count { $0.grant == DevServer.Grant.refreshToken.rawValue }
    }
}

/// The network, with the answers to refreshes changed.
private struct EditedRefreshes: HTTPTransport {
    let real: any HTTPTransport
    let edit: @Sendable (inout [String: JSON]) -> Void

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var response = try await real.send(request, deadline: deadline)
        let form = String(decoding: request.body ?? [], as: UTF8.self)
        guard form.contains("grant_type=refresh_token"), var members = try JSON.parse(response.body).object else {
            return response
        }
        edit(&members)
        response.body = JSON.object(members).serialized()
        return response
    }
}

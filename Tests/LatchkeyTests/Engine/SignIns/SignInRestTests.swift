import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("pauses that a service demands in a conversation") struct SignInRestTests {
    private let bench = Bench()
    private let limited = AuthError(.rateLimited, "too many", retryAfter: .seconds(30))

    private func begin(_ auth: AuthClient, _ method: SignInMethod) async -> AuthError? {
        do throws(AuthError) {
            _ = try await auth.begin(.signIn(method), with: "scripted")
            return nil
        } catch {
            return error
        }
    }

    @Test("until it is over nothing is sent, and the error says the rest", .need("N12"))
    func held() async throws {
        let auth = try bench.process()
        bench.service.script(turns: .failed(limited))
        let ada = SignInMethod.password(identifier: "ada", Secret("wrong"))
        #expect(await begin(auth, ada)?.retryAfter == .seconds(30))
        bench.clock.advance(by: .seconds(29))
        let again = await begin(auth, ada)
        #expect(again?.code == .rateLimited && again?.retryAfter == .seconds(1))
        #expect(bench.service.beginCount == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(await begin(auth, ada) == nil)
        #expect(bench.service.beginCount == 2)
    }

    @Test(
        "another person and another way to sign in do not wait",
        arguments: [
            SignInMethod.password(identifier: "eve", Secret("x")), .code(identifier: "ada", over: .mail), .anonymous,
        ])
    func others(_ method: SignInMethod) async throws {
        let auth = try bench.process()
        bench.service.script(turns: .failed(limited))
        _ = await begin(auth, .password(identifier: "ada", Secret("wrong")))
        #expect(await begin(auth, method) == nil)
    }

    @Test("a pause without a time holds nothing, and other errors hold nothing")
    func untold() async throws {
        let auth = try bench.process()
        let ada = SignInMethod.password(identifier: "ada", Secret("wrong"))
        for error in [AuthError(.rateLimited, "too many"), AuthError(.serviceTrouble, "down", retryAfter: .seconds(9))]
        {
            bench.service.script(turns: .failed(error))
            #expect(await begin(auth, ada)?.code == error.code)
        }
        #expect(await begin(auth, ada) == nil)
        #expect(bench.service.beginCount == 3)
    }

    @Test("a pause with another mail does not keep the code from being answered, and the challenge stays")
    func resend() async throws {
        let auth = try bench.process()
        let id = "0123456789abcdef"
        let asked = Challenge(
            id: id, binding: bench.service.rules.binding, ask: .code(over: .mail, sentTo: "a@b"))
        bench.service.script(turns: .turn(.asked(asked)), .failed(limited))
        _ = try await auth.begin(.signIn(.code(identifier: "ada", over: .mail)), with: "scripted")
        #expect(await code { try await auth.answer(.resend, to: id) } == .rateLimited)
        #expect(await code { try await auth.answer(.resend, to: id) } == .rateLimited)
        #expect(bench.service.answers.count == 1)
        guard case .signedIn = try await auth.answer(.code(Secret("123456")), to: id) else { throw Bench.Stuck() }
        #expect(bench.service.answers.count == 2)
    }

    @Test("memory is bounded, and a pause is never longer than a day")
    func bounded() async throws {
        let rests = SignInRests()
        let now = bench.clock.now()
        for number in 0..<(SignInRests.most + 10) {
            let wait = AuthError(.rateLimited, "too many", retryAfter: .seconds(1_000_000 + number))
            rests.note(wait, for: .answer(challenge: "\(number)"), at: now)
        }
        var held = 0
        for number in 0..<(SignInRests.most + 10) {
            do { try rests.check(.answer(challenge: "\(number)"), at: now, of: nil) } catch {
                held += 1
                #expect(error.retryAfter == RetryAfter.longest)
            }
        }
        #expect(held == SignInRests.most)
    }
}

@Suite("the count-down of a pause") struct CountdownTests {
    private let bench = Bench()

    @Test("it says the seconds left at once, at each second, and 0 at the end", .need("N12"))
    func counts() async throws {
        let auth = try bench.process()
        let seconds = auth.countdown(of: AuthError(.rateLimited, "too many", retryAfter: .milliseconds(2_500)))
        let heard = try await bench.run {
            var heard: [Int64] = []
            for await left in seconds { heard.append(left) }
            return heard
        }
        #expect(heard == [3, 2, 1, 0])
    }

    @Test("an error that demands no pause is over at once")
    func none() async throws {
        let auth = try bench.process()
        for wait in [nil, Duration.zero, .seconds(-5)] {
            var iterator = auth.countdown(of: AuthError(.rateLimited, "too many", retryAfter: wait)).makeAsyncIterator()
            #expect(await iterator.next() == 0)
            #expect(await iterator.next() == nil)
        }
    }

    @Test("after a sleep it goes on with the number of the moment")
    func slept() async throws {
        let auth = try bench.process()
        var iterator = auth.countdown(of: AuthError(.rateLimited, "too many", retryAfter: .seconds(60)))
            .makeAsyncIterator()
        #expect(await iterator.next() == 60)
        bench.clock.advance(by: .seconds(45))
        #expect(await iterator.next() == 15)
        bench.clock.advance(by: .seconds(45))
        #expect(await iterator.next() == 0)
        #expect(await iterator.next() == nil)
    }

    @Test("a cancelled reader is let go, without the 0")
    func cancelled() async throws {
        let auth = try bench.process()
        let seconds = auth.countdown(of: AuthError(.rateLimited, "too many", retryAfter: .seconds(60)))
        let reader = Task {
            var heard: [Int64] = []
            for await left in seconds { heard.append(left) }
            return heard
        }
        try await bench.clock.waitForSleepers(1)
        reader.cancel()
        #expect(await reader.value == [60])
    }
}

import Latchkey
import LatchkeySystem

/// What a wrapper does when the wrapped transport fails.
extension TransportWrapperContract {
    @Sendable func onlyOnce() async throws {
        let failures: [TransportError.Code] = [.interrupted, .timedOut, .unreachable, .tls]
        let errors = failures.map { TransportError($0, wasSent: true) }
        for var request in TransportContract.onlyOnce {
            request.url = Self.address
            for error in errors {
                let pair = try pair { _, _ in throw error }
                do { try await pair.send(request) } catch {}
                let count = pair.inner.tries.count
                try expect(count == 1, "\(request.method) arrived \(count) times after \"\(error)\"")
            }
            for status in [408, 425, 429, 500, 502, 503, 504] {
                let pair = try pair { _, _ in TransportResponse(status: status, fields: ["Retry-After": "0"]) }
                try await pair.send(request)
                let count = pair.inner.tries.count
                try expect(count == 1, "\(request.method) arrived \(count) times after \(status)")
            }
        }
    }

    @Sendable func wasSent() async throws {
        for isAnswer in [true, false] {
            let pair = try pair { _, number in
                if number > 1 { throw TransportError(.unreachable, wasSent: false) }
                if isAnswer { return TransportResponse(status: 503) }
                throw TransportError(.interrupted, wasSent: true)
            }
            do { try await pair.send(Self.request("GET")) } catch let error as TransportError {
                try expect(error.wasSent, "it threw \"\(error)\", and the first try may have arrived")
            }
        }
    }

    @Sendable func deadlines() async throws {
        for (step, after, status) in [
            (Duration.seconds(2), "0", nil), (.seconds(2), "0", 503), (.zero, "60", 503), (.seconds(9), "0", 429),
        ] {
            let clock = EagerClock()
            let pair = try pair(clock: clock) { _, _ in
                clock.advance(by: step)
                if let status { return TransportResponse(status: status, fields: ["Retry-After": after]) }
                throw TransportError(.interrupted, wasSent: true)
            }
            let end = clock.now() + .seconds(5)
            _ = try? await pair.send(Self.request("GET"), deadline: .seconds(5))
            for one in pair.inner.tries {
                try expect(one.begin < end, "a try began after the deadline")
                try expect(one.deadline > .zero, "a try has no time")
                try expect(one.begin + one.deadline <= end, "a try may last beyond the deadline")
            }
        }
        let short = try pair { _, _ in TransportResponse(status: 200) }
        try await short.send(Self.request("POST"), deadline: .milliseconds(250))
        let given = short.inner.tries.first?.deadline ?? .zero
        try expect(given > .zero && given <= .milliseconds(250), "the deadline arrived as \(given)")
    }

    @Sendable func ends() async throws {
        for status in [nil, 503, 429] {
            let pair = try pair { _, _ in
                if let status { return TransportResponse(status: status, fields: ["Retry-After": "0"]) }
                throw TransportError(.unreachable, wasSent: false)
            }
            _ = try? await pair.send(Self.request("GET"), deadline: .seconds(3_600))
            try expect(pair.inner.tries.count < WrappedTransport.most, "it tries again without an end")
        }
    }

    @Sendable func cancels() async throws {
        let waiting = try pair { _, _ in
            try await Latch().wait()
            return TransportResponse(status: 200)
        }
        let task = Task { try await waiting.send(Self.request("GET")) }
        try await withTaskCancellationHandler {
            try await waiting.inner.waitForTries(1)
        } onCancel: {
            task.cancel()
        }
        task.cancel()
        try await Self.expectCancelled(task)
        try expect(waiting.inner.tries.count == 1, "it was sent again after the cancelling")

        // By this clock no pause ends.
        let clock = ManualClock()
        let failing = try pair(clock: clock) { _, _ in throw TransportError(.interrupted, wasSent: true) }
        let isOver = Locked(false)
        let paused = Task {
            defer { isOver.withLock { $0 = true } }
            return try await failing.send(Self.request("GET"))
        }
        while clock.sleepers == 0, !isOver.withLock({ $0 }), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
        guard clock.sleepers > 0 else { return paused.cancel() }
        let before = failing.inner.tries.count
        paused.cancel()
        try await Self.expectCancelled(paused)
        try expect(failing.inner.tries.count == before, "it was sent again after the cancelling")
    }

    @Sendable func atOnce() async throws {
        let twice = try pair { _, number in TransportResponse(status: 200, body: [UInt8(number)]) }
        for number in UInt8(1)...3 {
            let answer = try await twice.send(Self.request("GET"))
            try expect(answer.body == [number], "of requests alike, one got the answer of another")
        }
        for method in ["GET", "POST"] {
            let gathered = Tally()
            let many = try pair { request, _ in
                gathered.add()
                try await gathered.wait(for: 3)
                return TransportResponse(status: 200, body: request.body ?? [])
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in UInt8(1)...3 {
                    group.addTask {
                        let body = method == "POST" ? [number] : nil
                        let answer = try await many.send(Self.request(method, body: body))
                        try expect(answer.body == body ?? [], "one got another's answer")
                    }
                }
                try await group.waitForAll()
            }
            try expect(many.inner.tries.count == 3, "of three requests, \(many.inner.tries.count) arrived")
        }
    }

    @Sendable func printsNothing() async throws {
        let secrets = ["c0de-of-query", "t0ken-of-field", "passw0rd-of-body", "c00kie-of-answer", "acc3ss-of-answer"]
        let texts = secrets.map { Secret($0) }
        let observer = RecordingObserver()
        let answer = TransportResponse(
            status: 503, fields: ["Set-Cookie": "s=\(secrets[3])", "Retry-After": "0"],
            body: Array(#"{"access_token":"\#(secrets[4])"}"#.utf8))
        for (method, fails) in [("GET", false), ("POST", false), ("GET", true), ("POST", true)] {
            let pair = try pair(observer: observer) { _, _ in
                if fails { throw TransportError(.interrupted, wasSent: true) }
                return answer
            }
            let request = TransportRequest(
                method, "https://api.example.com/callback?code=\(secrets[0])",
                fields: ["Authorization": "Bearer \(secrets[1])"], body: Array("password=\(secrets[2])".utf8))
            do { try await pair.send(request) } catch { try Self.check(texts, in: error, "the error") }
            try Self.check(texts, in: pair.outer, "the wrapper")
            try Self.check(texts, in: observer.observations, "what the observer was told")
            try Self.check(texts, in: written?() ?? [], "what it writes")
        }
    }

    private static func check(_ secrets: [Secret], in value: Any, _ what: String) throws {
        for secret in secrets {
            try expect(!Printed.shows(secret, in: value), "\(what) shows what was sent, or came back")
        }
    }

    private static func expectCancelled(_ task: Task<TransportResponse, any Error>) async throws {
        switch await task.result {
        case .success: throw Broken("it went on to the end")
        case .failure(is CancellationError): return
        case .failure(let error): throw Broken("it threw \(Clauses.shown(error)) and not CancellationError")
        }
    }
}

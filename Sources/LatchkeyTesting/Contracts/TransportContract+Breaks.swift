import Latchkey

extension TransportContract {
    /// What happens when a connection breaks, and how often a request arrives then.
    func checkBreaks(at server: LocalServer) async throws {
        try await clauses.clause("a connection that breaks is interrupted, and may have been sent") {
            for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"] {
                let body = ["POST", "PUT", "PATCH"].contains(method) ? [UInt8(1)] : nil
                try await expectFailure(.interrupted, wasSent: true) {
                    try await send(TransportRequest(method, "\(server.url)/fault/hangUp", body: body))
                }
            }
        }
        try await clauses.clause("a request that may not be written twice arrives once, whatever comes") {
            try await arriveOnce(server)
        }
        try await clauses.clause("a kept connection that is dead fails no request that may have another") {
            for body in [nil, [UInt8(1)]] {
                try await send(TransportRequest("GET", "\(server.url)/fault/dies"))
                let request = TransportRequest(body == nil ? "GET" : "POST", "\(server.url)/status/201", body: body)
                try expect(try await send(request).status == 201, "\(request.method) came otherwise")
            }
        }
        try await clauses.clause("cancelling gives the request up with CancellationError") {
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await get("\(server.url)/fault/silence/early", deadline: .seconds(60))
            }
            try await Self.expectCancelled(early)
            let late = try await arrived(at: "/fault/silence/late", of: server)
            late.cancel()
            try await Self.expectCancelled(late)
        }
        try await clauses.clause("what is given up is closed") {
            // Every earlier one that waited has left by now, or leaves now.
            let given = server.requests.filter { $0.path.hasPrefix("/fault/silence/") || $0.path == "/never" }.count
            let cancelled = try await arrived(at: "/fault/silence/closed", of: server)
            cancelled.cancel()
            _ = await cancelled.result
            let late = try await arrived(at: "/fault/silence/late-closed", of: server, deadline: .milliseconds(300))
            _ = await late.result
            try await server.waitForLeavers(given + 2)
        }
    }

    private func arriveOnce(_ server: LocalServer) async throws {
        var expected = 0
        var count = 0
        for var request in Self.onlyOnce {
            for fault in ["hangUp", "half", "busy/408", "busy/429", "busy/503"] {
                count += 1
                // Before half of them, a connection is kept that they may use.
                if count.isMultiple(of: 2) { _ = try await get("\(server.url)/status/200") }
                request.url =
                    "\(server.url)/fault/\(fault.prefix { $0 != "/" })/once/\(fault.split(separator: "/").last ?? "")"
                expected += 1
                do { _ = try await send(request) } catch {
                    try expect(
                        (error as? TransportError)?.wasSent == true, "\(fault): it arrived, and the error denies that")
                }
                let found = server.requests.count { $0.path.contains("/once/") }
                try expect(found == expected, "\(request.method) after \(fault) arrived \(found - expected + 1) times")
            }
        }
        let silent = TransportRequest("POST", "\(server.url)/fault/silence/once/a", body: [1])
        try await expectFailure(.timedOut, wasSent: true) { _ = try await send(silent, deadline: .milliseconds(300)) }
        let found = server.requests.count { $0.path.contains("/once/") }
        try expect(found == expected + 1, "POST after a silence arrived \(found - expected) times")
    }

    /// Requests that may not be written twice, each for another reason.
    static var onlyOnce: [TransportRequest] {
        func request(
            _ method: String, _ fields: HeaderFields = [:], _ writing: TransportRequest.Writing = .byMethod,
            mayBeRepeated: Bool = true
        ) -> TransportRequest {
            var request = TransportRequest(method, "", fields: fields, body: method == "GET" ? nil : [1])
            request.writing = writing
            request.mayBeRepeated = mayBeRepeated
            return request
        }
        return [
            request("POST"), request("PATCH"), request("POST", [:], .once), request("POST", [:], .onceOnNewConnection),
            request("PUT", ["if-match": "\"1\""]), request("GET", mayBeRepeated: false),
            request("POST", [:], .twice, mayBeRepeated: false), request("DELETE", [:], .once),
        ]
    }

    /// Sends a request that gets no answer, and returns once it has arrived.
    private func arrived(
        at path: String, of server: LocalServer, deadline: Duration = .seconds(60)
    ) async throws -> Task<TransportResponse, any Error> {
        let task = Task { try await get(server.url + path, deadline: deadline) }
        while !server.requests.contains(where: { $0.path == path }) {
            if Task.isCancelled { task.cancel() }
            try await Task.sleep(for: .milliseconds(2))
        }
        return task
    }

    private static func expectCancelled(_ task: Task<TransportResponse, any Error>) async throws {
        switch await task.result {
        case .success(let answer): throw Broken("it came back with \(answer.status)")
        case .failure(is CancellationError): return
        case .failure(let error): throw Broken("it threw \(Clauses.shown(error)) and not CancellationError")
        }
    }
}

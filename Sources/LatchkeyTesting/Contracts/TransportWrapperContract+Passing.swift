import FoundationEssentials
import Latchkey

/// What goes down to the wrapped transport, and comes back.
extension TransportWrapperContract {
    @Sendable func passesOn() async throws {
        for (method, body) in [("GET", nil), ("POST", [UInt8](0...255)), ("PUT", []), ("PATCH", [1]), ("HEAD", nil)] {
            let pair = try pair { _, _ in TransportResponse(status: 200) }
            let request = Self.request(method, body: body)
            try await pair.send(request)
            guard let given = pair.inner.tries.first?.request else { throw Broken("\(method) did not arrive") }
            try expect(given.method == method, "\(method) arrived as another method")
            try expect(given.url == Self.address, "the address arrived otherwise")
            try expect(Self.holds(given.fields, request.fields), "a field is missing, or arrived otherwise")
            try expect(given.fields.all("X-Twice") == ["one", "two"], "a field arrived twice, or with another value")
            try expect(given.fields.all("Authorization").count == 1, "a field arrived twice")
            try expect(given.body == body, "the body of \(method) arrived otherwise")
        }
    }

    /// Every try is the same request.
    @Sendable func passesOnAgain() async throws {
        for (method, body) in [("GET", nil), ("PUT", [UInt8](0...255)), ("POST", [1, 2, 3])] {
            let pair = try pair { _, number in
                if number < 2 { throw TransportError(.interrupted, wasSent: true) }
                return TransportResponse(status: 200)
            }
            var request = Self.request(method, body: body)
            request.writing = .twice
            _ = try? await pair.send(request)
            let tries = pair.inner.tries.map(\.request)
            guard let first = tries.first else { throw Broken("\(method) did not arrive") }
            for later in tries.dropFirst() {
                let isSame = later.method == method && later.url == Self.address && later.body == body
                try expect(isSame, "the second try of \(method) is another request")
                try expect(Self.holds(later.fields, request.fields), "the second try of \(method) lacks a field")
                try expect(
                    later.fields.lines.allSatisfy {
                        first.fields.all($0.name).count >= later.fields.all($0.name).count
                    },
                    "the second try of \(method) has a field twice")
                let isLeft = later.mayBeWrittenTwice && later.writing == .twice
                try expect(isLeft, "the second try of \(method) may be written otherwise")
            }
        }
    }

    @Sendable func keepsLeave() async throws {
        for method in ["GET", "POST", "PUT", "DELETE"] {
            for writing in [TransportRequest.Writing.byMethod, .twice, .once, .onceOnNewConnection] {
                for mayBeRepeated in [true, false] {
                    let pair = try pair { _, _ in TransportResponse(status: 200) }
                    var request = Self.request(method, body: method == "POST" ? [1] : nil)
                    (request.writing, request.mayBeRepeated) = (writing, mayBeRepeated)
                    try await pair.send(request)
                    guard let given = pair.inner.tries.first?.request else { throw Broken("\(method) did not arrive") }
                    try expect(given.mayBeRepeated == mayBeRepeated, "mayBeRepeated of \(method) was lost")
                    // What is left open may be decided, as the table of Writing does.
                    let isSame = given.writing == writing || writing == .byMethod
                    try expect(isSame, "writing of \(method) was lost: \(writing) arrived as \(given.writing)")
                    try expect(
                        given.mayBeWrittenTwice == request.mayBeWrittenTwice,
                        "whether \(method) may be written twice arrived otherwise")
                }
            }
        }
    }

    @Sendable func answers() async throws {
        let fields = HeaderFields([("Set-Cookie", "a=1"), ("X-One", ""), ("set-cookie", "b=2"), ("Location", "/next")])
        for status in [200, 204, 302, 307, 400, 401, 403, 404, 429, 500, 503] {
            for method in ["GET", "POST"] {
                let body = [UInt8](0...255)
                let pair = try pair { _, _ in TransportResponse(status: status, fields: fields, body: body) }
                let answer = try await pair.send(Self.request(method))
                try expect(answer.status == status, "\(status) came as \(answer.status)")
                let names = answer.fields.lines.map { "\($0.name): \($0.value)" }
                try expect(Self.holds(answer.fields, fields), "of the fields of \(status), these came: \(names.count)")
                try expect(answer.body == body, "the body of \(status) came otherwise")
                try expect(
                    pair.inner.tries.allSatisfy { $0.request.url == Self.address }, "another address was asked as well")
            }
        }
    }

    @Sendable func errors() async throws {
        for method in ["GET", "POST"] {
            for expected in Self.failures {
                let pair = try pair { _, _ in throw expected }
                let found = try await expectFailure("\"\(expected)\"") { try await pair.send(Self.request(method)) }
                try expect(found == expected, "it threw \"\(found)\" and not \"\(expected)\"")
                let isWhole =
                    found.cause == expected.cause && found.origin == expected.origin && found.proxy == expected.proxy
                    && found.proxyStatus == expected.proxyStatus && found.certificate == expected.certificate
                    && found.file == expected.file && found.refusal == expected.refusal
                try expect(isWhole, "of \"\(expected)\", something was lost")
            }
            let cancelled = try pair { _, _ in throw CancellationError() }
            do {
                try await cancelled.send(Self.request(method))
                throw Broken("it went on to the end")
            } catch is CancellationError {}
            try expect(cancelled.inner.tries.count == 1, "what was cancelled arrived again")
            let other = try pair { _, _ in throw AuthError(.declined, "The contract declines.") }
            do {
                try await other.send(Self.request(method))
                throw Broken("it went on to the end")
            } catch let error as AuthError {
                try expect(error.code == .declined, "an AuthError came as another one")
            }
        }
    }

    /// An error of each code, with everything that errors can hold.
    private static var failures: [TransportError] {
        let causes: [(TransportError.Code, TransportError.Cause?)] = [
            (.unreachable, .noSuchHost), (.timedOut, nil), (.interrupted, .compressionDamaged),
            (.tooLarge, .compressionTooLarge), (.tls, .certificateExpired), (.pinMismatch, nil),
            (.invalidRequest, nil), (.libraryMissing, nil), (.unreachable, .proxyRefused),
        ]
        return causes.flatMap { code, cause in
            [true, false].map { wasSent in
                var error = TransportError(code, wasSent: wasSent, cause: cause)
                error.origin = "https://api.example.com"
                error.proxy = "http://proxy.example.com:3128"
                error.proxyStatus = 502
                error.certificate = RefusedCertificate(
                    notAfter: Date(timeIntervalSince1970: 1_700_000_000), hosts: ["api.example.com"], isAuthority: true)
                error.file = "/etc/authorities.pem"
                error.refusal = "wrong ELF class"
                return error
            }
        }
    }

    @Sendable func trust() async throws {
        func named(_ name: String) throws -> String {
            let outer = try pair(trust: name) { _, _ in TransportResponse(status: 200) }.outer
            guard let named = outer as? any TrustNaming else { throw Broken("the wrapper is not TrustNaming") }
            return named.trust
        }
        try expect(try named("by one proxy") != named("by another proxy"), "two kinds of connections have one name")
        try expect(try named("by one proxy") == named("by one proxy"), "one kind of connections has two names")
    }
}

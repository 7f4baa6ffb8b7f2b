import Latchkey

extension TransportContract {
    /// How the bytes of an answer come, and how they do not.
    func checkFraming(at server: LocalServer) async throws {
        try await clauses.clause("a whole answer comes whole, however it is framed") { try await whole(server) }
        try await clauses.clause("a compressed answer is undone, or comes as the request asked") {
            try await compressed(server)
        }
        try await clauses.clause("an answer that is cut is interrupted, and no answer") {
            for fault in ["cutHead", "half", "cutChunk"] {
                for method in ["GET", "POST"] {
                    let body = method == "POST" ? [UInt8(1)] : nil
                    try await expectFailure(.interrupted, wasSent: true) {
                        try await send(TransportRequest(method, "\(server.url)/fault/\(fault)/cut", body: body))
                    }
                }
            }
            for fault in ["noHTTP", "halfGzip"] {
                let error = try await expectFailure("a TransportError") {
                    _ = try await get("\(server.url)/fault/\(fault)")
                }
                try expect(error.wasSent, "it threw \"\(error)\", and it arrived")
            }
        }
        try await clauses.clause("more bytes than the cap is tooLarge") {
            for fault in ["endlessChunks", "endlessBody", "bomb"] {
                try await expectFailure(.tooLarge, wasSent: true) { _ = try await get("\(server.url)/fault/\(fault)") }
            }
        }
        try await clauses.clause("no answer before the deadline is timedOut, and may have been sent") {
            for fault in ["drip", "dripHead"] {
                try await expectFailure(.timedOut, wasSent: true) {
                    _ = try await get("\(server.url)/fault/\(fault)", deadline: .milliseconds(300))
                }
            }
            for none in [Duration.zero, .seconds(-1)] {
                let error = try await expectFailure("timedOut") {
                    _ = try await get("\(server.url)/fault/silence/\(none == .zero)", deadline: none)
                }
                try expect(error.code == .timedOut, "it threw \"\(error)\" and not timedOut")
                let arrived = server.requests.contains { $0.path == "/fault/silence/\(none == .zero)" }
                try expect(error.wasSent || !arrived, "it says that it was not sent, and it arrived")
            }
        }
    }

    private func whole(_ server: LocalServer) async throws {
        for fault in ["chunked", "untilClose", "slices", "interim"] {
            let answer = try await get("\(server.url)/fault/\(fault)")
            try expect(answer.status == 200, "\(fault) came as \(answer.status)")
            try expect(answer.body == TransportFaults.body, "the body of \(fault) came otherwise")
            try expect(answer.fields["X-Early"] == nil, "a field of an answer before the answer came along")
        }
        let folded = try await get("\(server.url)/fault/folded").fields
        let words = folded.all("x-folded").map { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }) }
        try expect(words == [["one", "two", "three"]], "a folded line came otherwise")
        try expect(folded["X-Empty"] == "" && folded["X-Spaced"] == "a b", "spaces of a field came along")
        try expect(folded["X-LOWER"] == "c", "a field in small letters is missing")
        // The connection stays open: what waits for a body waits for ever.
        for (method, path, status) in [
            ("GET", "/fault/noContent", 204), ("GET", "/fault/unchanged", 304), ("HEAD", "/fault/kept", 200),
        ] {
            let answer = try await send(TransportRequest(method, server.url + path))
            try expect(answer.status == status && answer.body.isEmpty, "\(method) with \(status) came with a body")
        }
    }

    private func compressed(_ server: LocalServer) async throws {
        let plain = [UInt8](repeating: 0x61, count: 3_000)
        let bytes = RepeatedGzip.bytes(of: 0x61, count: 3_000)
        let undone = try await get("\(server.url)/fault/gzip")
        try expect(undone.body == plain, "the body came otherwise")
        try expect(undone.fields["Content-Encoding"] == nil, "Content-Encoding stayed")
        let length = undone.fields["Content-Length"]
        try expect(length == nil || length == "3000", "the length of the compressed bytes stayed")
        let asked = TransportRequest("GET", "\(server.url)/fault/gzip", fields: ["Accept-Encoding": "gzip"])
        let kept = try await send(asked)
        try expect(kept.body == bytes, "bytes that the request asked for were changed")
        try expect(kept.fields["Content-Encoding"] == "gzip", "their Content-Encoding is missing")
        try await send(TransportRequest("GET", "\(server.url)/fault/gzip", fields: ["Range": "bytes=0-"]))
        let ranged = try await send(TransportRequest("GET", "\(server.url)/fault/gzip", fields: ["Range": "bytes=0-"]))
        let isCompressed = server.requests.last?.fields["Accept-Encoding"]?.contains("gzip") == true
        try expect(ranged.body == (isCompressed ? bytes : plain), "bytes of a range were changed")
    }
}

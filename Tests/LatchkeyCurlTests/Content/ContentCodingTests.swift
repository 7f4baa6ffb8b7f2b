import Latchkey
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: compressed answers") struct ContentCodingTests {
    private static let text = Array(CompressedBodies.text.utf8)

    private static func answer(_ codings: String..., body: [UInt8]) -> TransportResponse {
        var fields = HeaderFields([("Content-Length", "\(body.count)"), ("A", "b")])
        for coding in codings { fields.add("content-encoding", coding) }
        return TransportResponse(status: 200, fields: fields, body: body)
    }

    private static func undone(_ response: TransportResponse, cap: Int = 4_096) throws -> TransportResponse {
        try ContentCoding.undo(response, cap: cap)
    }

    @Test("every kind of block, head and coding is decoded, and no field speaks of the compressed bytes any more")
    func decodes() throws {
        let table: [(String, [UInt8], String)] = [
            ("gzip", CompressedBodies.stored, CompressedBodies.text),
            ("gzip", CompressedBodies.fixed, CompressedBodies.text),
            ("GZip ", CompressedBodies.dynamic, CompressedBodies.words),
            ("x-gzip", CompressedBodies.wholeHead, CompressedBodies.text),
            ("gzip", CompressedBodies.twoMembers, CompressedBodies.text),
            ("gzip", CompressedBodies.zerosAfterIt, CompressedBodies.text),
            ("deflate", CompressedBodies.zlib, CompressedBodies.text),
            ("deflate", CompressedBodies.raw, CompressedBodies.text),
            ("gzip, identity, gzip", CompressedBodies.twice, CompressedBodies.text),
            ("identity", Self.text, CompressedBodies.text),
            // Bytes that a proxy has decompressed already, and no bytes.
            ("gzip", Self.text, CompressedBodies.text), ("gzip", [], ""), ("deflate", [], ""),
        ]
        for (coding, body, expected) in table {
            let found = try Self.undone(Self.answer(coding, body: body))
            #expect(String(decoding: found.body, as: UTF8.self) == expected, "\(coding)")
            #expect(found.fields.lines.map(\.name) == ["A"], "\(coding)")
        }
        let split = try Self.undone(Self.answer("gzip", "gzip", body: CompressedBodies.twice))
        #expect(split.body == Self.text)
    }

    @Test(
        "an answer with a coding that is not known stays as it is, bytes and fields",
        arguments: ["utf-8", "br", "zstd", "aws-chunked", "gzip, br", "br, gzip", "gzip, gzip, gzip, gzip"])
    func foreign(coding: String) throws {
        let answer = Self.answer(coding, body: CompressedBodies.fixed)
        let found = try Self.undone(answer)
        #expect(found.body == answer.body)
        #expect(found.fields.lines.map(\.value) == answer.fields.lines.map(\.value))
    }

    @Test("the limit counts the bytes after decoding: exactly as many are taken, and one more is refused by name")
    func limit() throws {
        let bomb = CompressedBodies.bomb(copies: 1_000)
        let size = 258 * 1_000 + 1
        #expect(bomb.count < size / 140)
        #expect(try Self.undone(Self.answer("gzip", body: bomb), cap: size).body.count == size)
        for (coding, body, cap) in [
            ("gzip", bomb, size - 1), ("gzip", bomb, 1 << 16), ("gzip", CompressedBodies.fixed, Self.text.count - 1),
            ("gzip", CompressedBodies.stored, Self.text.count - 1), ("deflate", CompressedBodies.zlib, 10),
            ("gzip", CompressedBodies.twoMembers, Self.text.count - 1),
        ] {
            let error = #expect(throws: TransportError.self) {
                try Self.undone(Self.answer(coding, body: body), cap: cap)
            }
            #expect(error == TransportError(.tooLarge, wasSent: true) && error?.cause == .compressionTooLarge)
            #expect(error?.message.contains("too large when it is decompressed") == true)
        }
    }

    @Test("a compressed answer that is cut anywhere, or of which any byte of the content is changed, is refused")
    func damaged() throws {
        for (coding, whole) in [
            ("gzip", CompressedBodies.stored), ("gzip", CompressedBodies.fixed), ("gzip", CompressedBodies.dynamic),
            ("gzip", CompressedBodies.wholeHead), ("deflate", CompressedBodies.zlib),
        ] {
            for count in stride(from: 3, to: whole.count, by: 7) {
                let error = #expect(throws: TransportError.self, "\(coding) \(count)") {
                    try Self.undone(Self.answer(coding, body: Array(whole[..<count])))
                }
                #expect(error?.code == .interrupted && error?.wasSent == true)
                #expect(error?.cause == .compressionDamaged)
            }
        }
        let whole = CompressedBodies.dynamic
        for place in stride(from: 10, to: whole.count, by: 3) {
            var changed = whole
            changed[place] ^= 0x10
            let found = try? Self.undone(Self.answer("gzip", body: changed)).body
            // Bits between the stream and the checksum mean nothing.
            #expect(found == nil || found == Array(CompressedBodies.words.utf8), "\(place)")
        }
    }

    @Test("bytes at random are read without a crash, and never become more than the limit")
    func random() {
        var random = SystemRandomNumberGenerator()
        for round in 0..<600 {
            var bytes = [CompressedBodies.dynamic, CompressedBodies.fixed, CompressedBodies.wholeHead][round % 3]
            for _ in 0...(round % 4) { bytes[Int.random(in: 3..<bytes.count, using: &random)] = .random(in: 0...255) }
            let coding = round.isMultiple(of: 2) ? "gzip" : "deflate"
            guard let found = try? Self.undone(Self.answer(coding, body: bytes), cap: 1_000) else { continue }
            #expect(found.body.count <= 1_000)
        }
    }

    @Test("over a connection gzip is asked for and undone, also on a kept one, and a bomb fails by name")
    func carried() async throws {
        let bomb = CompressedBodies.bomb(copies: 5_000)
        let server = try RawServer { number in
            let body = number == 3 ? bomb : CompressedBodies.fixed
            return .raw(
                Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
        }
        let transport = CurlTransport()
        for _ in 0..<2 {
            let answer = try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(10))
            #expect(answer.body == Self.text && answer.fields.lines.isEmpty)
        }
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("POST", server.url, body: [1]), deadline: .seconds(10))
        }
        #expect(error?.cause == .compressionTooLarge && error?.wasSent == true)
        #expect(server.requests.allSatisfy { $0.contains("\r\nAccept-Encoding: gzip\r\n") })
    }

    @Test("a request that names codings of its own, wants a part, or no body, gets the bytes and fields as they are")
    func own() async throws {
        let body = CompressedBodies.fixed
        let server = try RawServer { _ in
            .raw(
                Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
        }
        for (fields, line) in [
            (["accept-encoding": "gzip, br"], "accept-encoding: gzip, br"),
            (["Accept-Encoding": "identity"], "Accept-Encoding: identity"), (["Range": "bytes=0-9"], nil),
        ] as [(HeaderFields, String?)] {
            let transport = CurlTransport()
            let answer = try await transport.send(
                TransportRequest("GET", server.url, fields: fields), deadline: .seconds(10))
            #expect(answer.body == body && answer.fields["Content-Encoding"] == "gzip")
            #expect(answer.fields["Content-Length"] == "\(body.count)")
            let asked = server.requests.last?.split(separator: "\r\n").filter {
                $0.lowercased().hasPrefix("accept-encoding")
            }
            #expect(asked == (line.map { [Substring($0)] } ?? []))
        }
        let head = try await CurlTransport().send(TransportRequest("HEAD", server.url), deadline: .seconds(10))
        #expect(head.fields["Content-Encoding"] == "gzip" && head.fields["Content-Length"] == "\(body.count)")
        #expect(server.requests.last?.lowercased().contains("accept-encoding") == false)
    }
}

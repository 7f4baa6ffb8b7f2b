#if os(Linux)
    import Glibc
    import Latchkey
    import Testing

    @testable import LatchkeyCurl

    @Suite("libcurl transport: what programs inherit that the app starts", .serialized)
    struct CurlDescriptorTests {
        /// What a program that is started now inherits beside its own three, by what each descriptor is.
        private static func inherited() throws -> Set<String> {
            let pipe = try #require(popen("ls -l /proc/$$/fd; :", "re"))
            defer { pclose(pipe) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = fread(&bytes, 1, bytes.count, pipe)
            let lines = String(decoding: bytes[..<count], as: UTF8.self).matches(of: /(\d+) -> (\S+)/)
            return Set(lines.filter { (Int32($0.1) ?? 0) > 2 }.map { String($0.2) })
        }

        /// What is inherited beside `before` again and again. What other tests have open meanwhile comes and goes; what a
        /// transport holds would stay as long as it does.
        private static func staying(beside before: Set<String>) throws -> Set<String> {
            var staying = try inherited().subtracting(before)
            for _ in 0..<200 where !staying.isEmpty { staying.formIntersection(try inherited()) }
            return staying
        }

        @Test("nothing of a transport: neither a request under way, nor a connection that is kept, nor its own")
        func spawned() async throws {
            let silent = try RawServer { _ in .hang }
            let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
            let before = try Self.inherited()
            let transport = CurlTransport()
            _ = try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(10))
            let url = silent.url
            let request = Task { try await transport.send(TransportRequest("GET", url), deadline: .seconds(60)) }
            while silent.requests.isEmpty { await Task.yield() }
            #expect(try Self.staying(beside: before).isEmpty)
            let open = try Self.pair()
            #expect(try Self.staying(beside: before).count == open.count, "what is left open is seen")
            for number in open { close(number) }
            request.cancel()
            _ = await request.result
        }

        private static func pair(_ more: Int32 = 0) throws -> [Int32] {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | more, 0, &ends) == 0)
            return ends
        }

        private func isInherited(_ number: Int32) -> Bool { fcntl(number, F_GETFD) & FD_CLOEXEC == 0 }

        @Test(
            "both ends of libcurl's pair are kept from programs, nothing is left in it, and other pairs stay as they are"
        )
        func pairs() throws {
            let (found, other, full) = (try Self.pair(), try Self.pair(), try Self.pair())
            defer { for number in found + other + full { close(number) } }
            // Somebody else's, with the same number of bytes in it.
            try #require(write(full[0], "12345678", 8) == 8)
            CurlDescriptors.keep(found[0])
            #expect(found.map(isInherited) == [false, false])
            #expect((other + full).map(isInherited) == [true, true, true, true])
            var byte: UInt8 = 0
            for end in found + other { #expect(recv(end, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN) }
            #expect(recv(full[1], &byte, 1, Int32(MSG_DONTWAIT)) == 1)
        }

        @Test("a pair whose other end is gone, a connection and no descriptor at all do no harm")
        func odd() throws {
            let ends = try Self.pair()
            close(ends[1])
            CurlDescriptors.keep(ends[0])
            #expect(!isInherited(ends[0]))
            close(ends[0])
            let plain = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(plain) }
            CurlDescriptors.keep(plain)
            #expect(!isInherited(plain))
            CurlDescriptors.keep(-1)
        }
    }
#endif

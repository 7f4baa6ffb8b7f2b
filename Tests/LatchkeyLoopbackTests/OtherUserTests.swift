#if os(Linux)
    import Foundation
    import Latchkey
    import LatchkeyHTTPServer
    import LatchkeySystem
    import Proofs
    import Testing

    @testable import LatchkeyLoopback

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Plays another user of the same machine, for which the tests must run as root.
    @Suite("Another user of the same machine", .timeLimit(.minutes(2)))
    struct OtherUserTests {
        static let canPlay = geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0
        static let reason: Comment =
            "Only root can play another user, with setpriv; run the tests as root for this one."

        /// What curl says when it is run by a user: its exit status, and all that it received.
        static func curl(as user: Int, _ words: String...) async throws -> (status: Int32, output: String) {
            try await withCheckedThrowingContinuation { continuation in
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
                process.arguments =
                    ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "curl", "--silent", "--include"]
                    + ["--noproxy", "*", "--max-time", "20"] + words
                let output = Pipe()
                process.standardOutput = output
                process.standardInput = FileHandle.nullDevice
                process.terminationHandler = { ended in
                    let bytes = output.fileHandleForReading.readDataToEndOfFile()
                    continuation.resume(returning: (ended.terminationStatus, String(decoding: bytes, as: UTF8.self)))
                }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
        }

        @Test("the kernel and its tables say the same of a connection: whose it is", .enabled(if: canPlay, reason))
        func owners() async throws {
            let seen = Locked<[[ConnectionOwner?]]>([])
            let server = try HTTPServer(accepts: { ends in
                let found = [ConnectionOwner.asked(ends), ConnectionOwner.listed(ends)]
                seen.withLock { $0.append(found) }
                return .full
            }) { _ in .text("in") }
            for user in [0, 4_242, 65_534] {
                let (status, _) = try await Self.curl(as: user, "http://127.0.0.1:\(server.port)/")
                let owner = ConnectionOwner.user(UInt32(user))
                #expect(status == 0 && seen.withLock { $0.last } == [owner, owner])
            }
            // A connection of nobody: its ports are those of none.
            let local: [UInt8] = [127, 0, 0, 1]
            let nobody = ConnectionEnds(
                peer: .init(address: local, port: 1), own: .init(address: local, port: server.port))
            #expect(ConnectionOwner.asked(nobody) == .unknown && ConnectionOwner.listed(nobody) == .unknown)
            // One that listens is no connection.
            let listens = ConnectionEnds(
                peer: .init(address: local, port: server.port), own: .init(address: local, port: 1))
            #expect(ConnectionOwner.asked(listens) == .unknown && ConnectionOwner.listed(listens) == .unknown)
        }

        @Test("the same over IPv6, where this machine has it", .enabled(if: canPlay, reason))
        func ownersOverSix() async throws {
            let seen = Locked<[ConnectionOwner?]>([])
            guard
                let server = try? HTTPServer(
                    host: "::1",
                    accepts: { ends in
                        seen.withLock { $0 = [ConnectionOwner.asked(ends), ConnectionOwner.listed(ends)] }
                        return .full
                    }, handler: { _ in .text("in") })
            else { return }
            _ = try await Self.curl(as: 4_242, "http://[::1]:\(server.port)/")
            #expect(seen.withLock { $0 } == [.user(4_242), .user(4_242)])
        }

        @Test(
            "reads the same page at every address, and nothing of the sign-in, which goes on and says it once",
            .standard(53),
            .enabled(if: canPlay, reason))
        func refused() async throws {
            let told = Locked<[StrayRedirect]>([])
            let (presenter, announced) = LoopbackPresenterTests.presenter(
                stray: { kind in told.withLock { $0.append(kind) } })
            let redirect = try await presenter.openRedirect()
            let answer = Task { try await presenter.answer(LoopbackPresenterTests.visit(redirect)) }
            while announced.withLock({ $0.isEmpty }) { await Task.yield() }
            let start = try #require(presenter.startAddress)
            let origin = try #require(WebAddress(redirect)).origin
            var pages: Set<Substring> = []
            for address in ["\(origin)/favicon.ico", "\(redirect)?code=theirs&state=s", start, "\(redirect)?code=%zz"] {
                let (status, output) = try await Self.curl(as: 65_534, address)
                #expect(status == 0 && output.hasPrefix("HTTP/1.1 403 "), "\(address): \(status) \(output)")
                #expect(!output.contains("id.example") && !output.contains(start.suffix(32)))
                pages.insert(output.drop { $0 != "<" })
            }
            #expect(pages.count == 1 && pages.first?.contains("A browser of another user") == true)
            while told.withLock({ $0.isEmpty }) { await Task.yield() }
            #expect(told.withLock { $0 } == [.otherUser])
            // The same request of root, as of a relay, is answered.
            #expect(try await Self.curl(as: 0, start).output.contains("https://id.example/authorize"))
            let (came, page) = try await LoopbackPresenterTests.bring(
                "\(redirect)?code=mine&state=s", to: presenter, answer)
            #expect(page.status == 200)
            #expect(LoopbackPresenterTests.address(came) == "\(redirect)?code=mine&state=s")
            await presenter.closeRedirect()
        }

        @Test(
            "a connection that is closed at once, which the kernel calls root's, is not taken for it",
            .enabled(if: canPlay, reason))
        func closedAtOnce() async throws {
            let (presenter, announced) = LoopbackPresenterTests.presenter()
            let redirect = try await presenter.openRedirect()
            let answer = Task { try await presenter.answer(LoopbackPresenterTests.visit(redirect)) }
            while announced.withLock({ $0.isEmpty }) { await Task.yield() }
            let port = try #require(WebAddress(redirect)?.port)
            // Sends its request and is gone before anybody looks; a hundred times, to be quicker at least once.
            let script = """
                for i in {1..100}; do
                  exec 3<>/dev/tcp/127.0.0.1/\(port)
                  printf 'GET /callback?code=theirs&state=s HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&3
                  exec 3>&-
                done
                """
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "bash", "-c", script]
            try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { _ in continuation.resume() }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            let (came, page) = try await LoopbackPresenterTests.bring(
                "\(redirect)?code=mine&state=s", to: presenter, answer)
            #expect(page.status == 200)
            #expect(LoopbackPresenterTests.address(came) == "\(redirect)?code=mine&state=s")
            await presenter.closeRedirect()
        }
    }
#endif

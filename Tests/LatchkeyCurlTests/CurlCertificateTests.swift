import CCurl
import FoundationEssentials
import Latchkey
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: what it says of a certificate that was refused")
struct CurlCertificateTests {
    typealias Life = TLSServer.Life

    private func failure(
        _ server: TLSServer, host: String = "127.0.0.1", over transport: CurlTransport? = nil
    ) async -> TransportError? {
        let url = "https://\(host):\(server.port)/"
        let transport = transport ?? CurlTransport(caFile: server.caFile)
        var error = await CurlFailureTests.failure(TransportRequest("POST", url, body: [0x61]), over: transport)
        #expect(error == TransportError(.tls, wasSent: false))
        error?.origin = "https://\(host)"
        return error
    }

    @Test("One that has expired: when", arguments: ["20200201000000Z", "20211231235959Z"])
    func expired(end: String) async throws {
        guard let server = await TLSServer.start(life: Life(end: end)) else { return }
        let error = await failure(server)
        #expect(error?.cause == .certificateExpired && error?.certificate?.isAuthority == false)
        let date = end == "20200201000000Z" ? "2020-02-01 00:00 UTC" : "2021-12-31 23:59 UTC"
        #expect(
            error?.message
                == "The certificate of https://127.0.0.1 expired on \(date), or this machine's clock is wrong.")
        #expect(error?.text(in: .french).hasPrefix("Le certificat de https://127.0.0.1 a expiré le \(date)") == true)
    }

    @Test("One that is not valid yet: from when on")
    func early() async throws {
        guard let server = await TLSServer.start(life: Life(begin: "21500601120000Z")) else { return }
        let error = await failure(server)
        #expect(error?.cause == .certificateNotYetValid)
        #expect(error?.message.contains("is not valid before 2150-06-01 12:00 UTC") == true)
    }

    @Test("An authority that has expired is not taken for the server's own certificate")
    func authority() async throws {
        guard let server = await TLSServer.start(life: Life(), authority: Life(end: "20220301000000Z")) else { return }
        let error = await failure(server)
        #expect(error?.cause == .certificateExpired && error?.certificate?.isAuthority == true)
        #expect(
            error?.message.hasPrefix(
                "A certificate of the authorities above that of https://127.0.0.1 expired on 2022-03-01") == true)
    }

    @Test("One for other hosts: three of them, and none that could say something else in a message")
    func hosts() async throws {
        let names = "DNS:a b,DNS:id.example.com,IP:127.0.0.2,DNS:x\u{1B}[2J,IP:2001:db8::1,DNS:*.example.com"
        guard let server = await TLSServer.start(names: names, life: Life()) else { return }
        let error = await failure(server)
        #expect(error?.cause == .certificateForAnotherHost)
        #expect(error?.certificate?.hosts == ["id.example.com", "127.0.0.2", "2001:db8::1"])
        #expect(error?.message.hasSuffix("is for another host: id.example.com, 127.0.0.2, 2001:db8::1.") == true)
    }

    @Test("One of an authority that nobody knows, and one that is signed by itself, are told apart")
    func unknown() async throws {
        guard let issued = await TLSServer.start(life: Life()), let own = await TLSServer.start() else { return }
        let system = CurlTransport()
        #expect(await failure(issued, over: system)?.cause == .certificateUntrusted)
        #expect(await failure(own, over: system)?.cause == .certificateSelfSigned)
        // Nor does one authority vouch for another's.
        #expect(await failure(issued, over: CurlTransport(caFile: own.caFile))?.cause == .certificateUntrusted)
    }

    @Test("Pins change nothing about it, and the right key does not help", arguments: HostPins.Mode.allCases)
    func pinned(mode: HostPins.Mode) async throws {
        guard let server = await TLSServer.start(life: Life(end: "20200201000000Z")) else { return }
        let pins = try HostPins(
            "127.0.0.1", pins: [PublicKeyPin(base64: server.pin)],
            backups: [PublicKeyPin(base64: CurlPinTests.strange)],
            expiry: Date(timeIntervalSince1970: 4_000_000_000), mode: mode)
        let transport = CurlTransport(caFile: server.caFile, pins: try PinnedHosts([pins]))
        let end = await failure(server, over: transport)?.certificate?.notAfter
        #expect(end == Date(timeIntervalSince1970: 1_580_515_200))
    }

    @Test("Each of many refusals at once has its own certificate, and the next failure has none")
    func apart() async throws {
        guard let first = await TLSServer.start(life: Life(end: "20200201000000Z")),
            let second = await TLSServer.start(life: Life(end: "20210201000000Z"))
        else { return }
        // Both authorities, so that nothing but the time is wrong.
        let files = SystemFiles()
        let both = first.caFile + ".both"
        let authorities = try [first, second].flatMap { try #require(try files.read($0.caFile, limit: 65_536)) }
        try files.writeNew(both, authorities)
        defer { try? files.remove(both) }
        let transport = CurlTransport(caFile: both)
        await withTaskGroup(of: (Bool, RefusedCertificate?).self) { group in
            for number in 0..<24 {
                let isFirst = number.isMultiple(of: 2)
                group.addTask {
                    (isFirst, await self.failure(isFirst ? first : second, over: transport)?.certificate)
                }
            }
            for await (isFirst, certificate) in group {
                let end = isFirst ? 1_580_515_200.0 : 1_612_137_600
                #expect(certificate?.notAfter == Date(timeIntervalSince1970: end))
            }
        }
        let refused = try await RawServer.withDeadPort { port in
            await CurlFailureTests.failure(TransportRequest("POST", "https://127.0.0.1:\(port)"), over: transport)
        }
        #expect(refused?.cause == .connectionRefused && refused?.certificate == nil)
    }

    /// A server, and whether its certificate holds.
    enum Case: String, CaseIterable, Sendable {
        case good, expired, early, expiredAuthority, otherHost, unknownAuthority, selfSigned

        func start() async -> TLSServer? {
            switch self {
            case .good, .unknownAuthority: await TLSServer.start(life: Life())
            case .expired: await TLSServer.start(life: Life(end: "20200201000000Z"))
            case .early: await TLSServer.start(life: Life(begin: "21500601120000Z"))
            case .expiredAuthority: await TLSServer.start(life: Life(), authority: Life(end: "20220301000000Z"))
            case .otherHost: await TLSServer.start(names: "DNS:id.example.com", life: Life())
            case .selfSigned: await TLSServer.start()
            }
        }
    }

    private func request(_ easy: UnsafeMutableRawPointer?, _ server: TLSServer) {
        _ = shim_curl_set_text(easy, CURLOPT_URL, "https://127.0.0.1:\(server.port)/")
        _ = shim_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
    }

    @Test(
        "Who looks on changes no verdict: libcurl says the same with and without the witness", arguments: Case.allCases)
    func onlyLooks(kind: Case) async throws {
        try CurlLibrary.need()
        guard let server = await kind.start() else { return }
        // libcurl looks at OpenSSL's verdict once more after the handshake, and says so in other words.
        func outcome(_ witness: OpaquePointer?) -> (code: CURLcode, verdict: Int, words: String) {
            var words = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
            let easy = shim_curl_easy_init()
            defer { shim_curl_easy_cleanup(easy) }
            request(easy, server)
            if kind != .unknownAuthority, kind != .selfSigned {
                _ = shim_curl_set_text(easy, CURLOPT_CAINFO, server.caFile)
            }
            shim_curl_set_witness(easy, witness)
            let code = words.withUnsafeMutableBytes { buffer in
                _ = shim_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, buffer.baseAddress)
                return shim_curl_easy_perform(easy)
            }
            let text = String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return (code, shim_curl_certificate_error(easy), text)
        }
        let witness = try #require(shim_curl_witness_new(), "libcurl has no OpenSSL")
        defer { shim_curl_witness_free(witness) }
        let (alone, watched) = (outcome(nil), outcome(witness))
        #expect(alone == watched)
        #expect((watched.code == CURLE_OK) == (kind == .good))
        var seen = shim_curl_certificate()
        #expect(shim_curl_seen(witness, &seen) == 1)
        // The names are compared by libcurl itself.
        #expect(kind == .otherHost ? seen.error == 0 : seen.error == Int32(watched.verdict))
        shim_curl_witness_forget(witness)
        #expect(shim_curl_seen(witness, &seen) == 0)
    }

    @Test("A witness that is gone is not asked by the connections that are still open")
    func outlived() async throws {
        try CurlLibrary.need()
        guard let server = await TLSServer.start(life: Life()) else { return }
        let easy = shim_curl_easy_init()
        let witness = shim_curl_witness_new()
        request(easy, server)
        _ = shim_curl_set_text(easy, CURLOPT_CAINFO, server.caFile)
        shim_curl_set_witness(easy, witness)
        #expect(shim_curl_easy_perform(easy) == CURLE_OK)
        shim_curl_witness_free(witness)
        shim_curl_easy_cleanup(easy)
    }

    @Test(
        "A file of authorities that is missing, empty or no PEM is named", arguments: ["missing", "", "no PEM", "key"])
    func authorityFile(content: String) async throws {
        guard let server = await TLSServer.start() else { return }
        let folder = server.caFile.replacing("/cert.pem", with: "")
        let files = SystemFiles()
        let path = content == "key" ? "\(folder)/key.pem" : "\(folder)/authorities"
        if content == "" || content == "no PEM" { try files.writeNew(path, Array(content.utf8)) }
        let error = await failure(server, over: CurlTransport(caFile: path))
        try? files.remove(path)
        #expect(error?.cause == .authorityFile && error?.file == path)
        #expect(error.map { AuthError($0).code } == .configuration(.invalid))
        #expect(error?.message.contains(path) == true)
    }
}

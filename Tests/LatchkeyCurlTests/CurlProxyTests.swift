import Latchkey
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: what it says of a proxy")
struct CurlProxyTests {
    /// This machine, by a name for which a proxy is asked.
    private static let place = "https://0.0.0.0:1/"

    private func failure(_ proxy: String, _ url: String = place) async -> TransportError? {
        var error = await CurlFailureTests.failure(
            TransportRequest("POST", url, body: [0x61]), over: CurlTransport(proxy: proxy))
        #expect(error?.wasSent == false)
        error?.origin = "https://id.example.com"
        return error
    }

    @Test("It is named by scheme, host and port, and its password is not")
    func named() async throws {
        let proxy = try await RawServer.withDeadPort { port in
            await failure("http://name:s3cr3t@127.0.0.1:\(port)")?.message
        }
        let message = try #require(proxy)
        #expect(message.hasPrefix("https://id.example.com cannot be reached: the proxy http://127.0.0.1:"))
        #expect(!message.contains("s3cr3t") && !message.contains("name"))
        for (url, origin) in [
            ("proxy.example.com", "http://proxy.example.com:1080"), ("https://a:b@p.example", "https://p.example:443"),
            ("socks5h://p.example:9", "socks5h://p.example:9"), ("http://[::1]:8080/x?y", "http://[::1]:8080"),
        ] { #expect(CurlProxy.origin(of: url) == origin) }
        #expect(CurlProxy.origin(of: "") == nil && CurlProxy.origin(of: "http://a b") == nil)
    }

    @Test(
        "One that opens no connection, and one that wants a password, are told apart from the service",
        arguments: [(502, TransportError.Cause.proxyRefused), (403, .proxyRefused), (407, .proxyPassword)])
    func refuses(status: Int, cause: TransportError.Cause) async throws {
        let proxy = try RawServer { _ in
            .bytesAndClose("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nProxy-Authenticate: Basic realm=a\r\n\r\n")
        }
        let error = await failure(proxy.url)
        #expect(error?.code == .unreachable && error?.cause == cause && error?.proxyStatus == status)
        #expect(error?.message.contains("the proxy \(proxy.url) ") == true)
        #expect(proxy.requests.count == 1 && proxy.requests[0].hasPrefix("CONNECT 0.0.0.0:1 "))
    }

    @Test(
        "One that wants NTLM or Kerberos is told by that, and one that takes a password too is not",
        arguments: [
            (["NTLM"], TransportError.Cause.proxyMethod), (["Negotiate", "NTLM"], .proxyMethod),
            (["Digest realm=a, nonce=b"], .proxyMethod), (["NTLM", "Basic realm=a"], .proxyPassword),
            ([], .proxyPassword),
        ])
    func methods(_ methods: [String], _ cause: TransportError.Cause) async throws {
        let fields = methods.map { "Proxy-Authenticate: \($0)\r\n" }.joined()
        let proxy = try RawServer { _ in
            .bytesAndClose("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\(fields)\r\n")
        }
        let error = await failure(proxy.url)
        #expect(error?.code == .unreachable && error?.cause == cause && error?.proxyStatus == 407)
        #expect(error?.wasSent == false && error?.message.contains("the proxy \(proxy.url) ") == true)
        #expect(proxy.requests.count == 1)
    }

    @Test("One that is no proxy at all is told apart from the service", arguments: ["SSH-2.0-OpenSSH_9.2\r\n", ""])
    func none(_ answer: String) async throws {
        let proxy = try RawServer { _ in .bytesAndClose(answer) }
        let error = await failure(proxy.url)
        #expect(error?.code == .unreachable && error?.cause == .proxyRefused && error?.proxyStatus == nil)
        #expect(error?.message.hasSuffix("the proxy \(proxy.url) opens no connection to it.") == true)
    }

    @Test("One whose name leads nowhere is the one that is not found")
    func unknown() async throws {
        let error = await failure("http://nowhere.invalid.:3128")
        #expect(error?.cause == .proxy && error?.message.contains("http://nowhere.invalid.:3128") == true)
    }

    @Test("One that is reached by TLS, and its certificate is not trusted: that is the proxy's, not the service's")
    func byTLS() async throws {
        guard let server = await TLSServer.start() else { return }
        let error = await failure("https://127.0.0.1:\(server.port)")
        #expect(error?.code == .tls && error?.cause == .certificateSelfSigned)
        #expect(error?.message.contains("of the proxy https://127.0.0.1:\(server.port) ") == true)
        let plain = try RawServer(greeting: "HTTP/1.1 400 Bad\r\n\r\n")
        let other = await failure("https://127.0.0.1:\(plain.port)")
        #expect(other?.message == "The proxy https://127.0.0.1:\(plain.port) does not speak TLS.")
    }
}

import Latchkey
import Testing

/// An issuer that is reached by TLS: `openssl s_server`, with a certificate of its own making, and a discovery document
/// behind it. It ends by itself after a minute.
struct TLSIssuer {
    let issuer: String
    /// The certificate, which is its own authority. It names one host and no other.
    let caFile: String
    /// The pin of its key in base64, as the `openssl` program computes it.
    let pin: String
    private let folder: TemporaryFolder
    private let server: Child

    /// `nil`, after a word why, when there is no `openssl` program to run.
    ///
    /// - Parameters:
    ///   - days: For how long the certificate is valid. With -1 it ended yesterday.
    ///   - host: This machine's address in the issuer.
    static func start(days: Int = 2, host: String = "127.0.0.1") async throws -> TLSIssuer? {
        guard Program.onPath("openssl") != nil else {
            print("skipped: there is no openssl program")
            return nil
        }
        return try await TLSIssuer(days, host)
    }

    private init(_ days: Int, _ host: String) async throws {
        folder = TemporaryFolder()
        let shell = Program("/bin/sh")
        let made = try await shell.run([
            "-c",
            """
            cd \(folder.path) && openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
            -keyout key.pem -out cert.csr -subj /CN=test -addext subjectAltName=IP:\(host) 2> req.log &&
            openssl x509 -req -in cert.csr -signkey key.pem -days \(days) -copy_extensions copy \
            -out cert.pem 2>> req.log &&
            openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform DER | \
            openssl dgst -sha256 -binary | openssl base64
            """,
        ])
        try #require(made.status == 0, "openssl makes no certificate: \(made.errors)")
        pin = String(made.output.prefix { $0 != "\n" })
        caFile = "\(folder.path)/cert.pem"
        server = try shell.start([
            "-c",
            """
            cd \(folder.path) && exec timeout 60 openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -HTTP
            """,
        ])
        let port = try await server.find { output, _ in
            output.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/).map { String($0.1) }
        }
        issuer = "https://\(host):\(port)"
        try serve(port: port)
    }

    /// Writes the document, with the head of its answer before it.
    private func serve(port: String) throws {
        let document = """
            {"issuer": "\(issuer)", "response_types_supported": ["code"],
            "authorization_endpoint": "\(issuer)/authorize", "token_endpoint": "\(issuer)/token",
            "device_authorization_endpoint": "https://localhost:\(port)/device"}
            """
        let head = [
            "HTTP/1.1 200 OK", "Content-Type: application/json", "Content-Length: \(document.utf8.count)",
            "Connection: close", "", "",
        ]
        let files = SystemFiles()
        try files.makeDirectory("\(folder.path)/.well-known")
        for name in ["oauth-authorization-server", "openid-configuration"] {
            try files.writeNew(
                "\(folder.path)/.well-known/\(name)", Array((head.joined(separator: "\r\n") + document).utf8))
        }
    }
}

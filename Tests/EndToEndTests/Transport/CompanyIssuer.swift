import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

/// An issuer behind TLS whose certificate only its company's authority vouches for: nginx, and a service behind it that
/// gives a client a token for its secret.
final class CompanyIssuer: Sendable {
    static let secret = "cl13nt+s3cr3t/100%"
    static let token = "company-access-token-marked"

    private let address: Locked<String>
    private let server: HTTPServer
    private let nginx: Gateway

    private init(_ address: Locked<String>, _ server: HTTPServer, _ nginx: Gateway, _ count: Locked<Int>) {
        (self.address, self.server, self.nginx, counted) = (address, server, nginx, count)
    }

    private let counted: Locked<Int>

    static func start() async throws -> CompanyIssuer {
        let (address, count) = (Locked(""), Locked(0))
        let server = try HTTPServer { request in
            let issuer = address.withLock { $0 }
            guard request.path == "/token" else {
                return request.path.hasPrefix("/.well-known/") ? json(metadata(of: issuer)) : .init(status: 404)
            }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return json([
                "access_token": .string("\(token)-\(number)"), "token_type": "Bearer", "expires_in": .integer(3_600),
            ])
        }
        let nginx = try await Gateway.start(.nginx, ["--backend", "http://127.0.0.1:\(server.port)"])
        // This machine, by a name for which a proxy is asked.
        address.withLock { $0 = "https://0.0.0.0:\(nginx.port)" }
        return CompanyIssuer(address, server, nginx, count)
    }

    private static func metadata(of issuer: String) -> JSON {
        [
            "issuer": .string(issuer), "token_endpoint": .string(issuer + "/token"),
            "authorization_endpoint": .string(issuer + "/authorize"), "response_types_supported": ["code"],
            "grant_types_supported": ["client_credentials"],
        ]
    }

    private static func json(_ value: JSON) -> ServerResponse {
        ServerResponse(status: 200, fields: [("Content-Type", "application/json")], body: value.serialized())
    }

    var issuer: String { address.withLock { $0 } }
    var port: UInt16 { nginx.port }
    /// The authority's certificate.
    var caFile: String { nginx.caFile }
    /// How many tokens were given.
    var tokens: Int { counted.withLock { $0 } }
}

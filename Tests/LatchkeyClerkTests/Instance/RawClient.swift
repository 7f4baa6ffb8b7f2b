import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem

/// Speaks to the development server's Clerk as Clerk's own clients do, without our provider.
final class RawClient: Sendable {
    /// How a client sends: clerk-ios and clerk-android with all methods; Expo with `GET` and `POST` alone; clerk-js in a
    /// browser likewise, with the browser's token in place of the client's.
    enum Style: Hashable, Sendable, CaseIterable {
        case native, expo, browser
    }

    let server: DevServer
    let style: Style
    private let kept: Locked<String?>
    private let transport = CurlTransport()

    /// A client of a server of its own, or of another client's.
    init(
        at server: DevServer? = nil, style: Style = .native, _ change: (inout DevServer.Clerk) -> Void = { _ in }
    ) throws {
        var configuration = DevServer.Configuration()
        configuration.signing = .es256
        change(&configuration.clerk)
        self.server = try server ?? DevServer(configuration)
        self.style = style
        kept = Locked(nil)
    }

    /// The client token, or the browser's.
    var token: String? { kept.withLock { $0 } }

    /// Sends a request and keeps the client token of its answer.
    func send(
        _ method: String, _ path: String, _ form: KeyValuePairs<String, String> = [:], query: String = "",
        as session: String? = nil, body: [UInt8]? = nil, type: String? = nil
    ) async throws -> RawAnswer {
        if style == .browser, token == nil { try await openBrowser() }
        var parts = [style == .browser ? "__clerk_db_jwt=\(token ?? "")" : "_is_native=1"]
        if let session { parts.append("_clerk_session_id=\(session)") }
        if !query.isEmpty { parts.append(query) }
        let isTunnelled = style != .native && !["GET", "POST"].contains(method)
        if isTunnelled { parts.append("_method=\(method)") }
        let base = server.clerkURL + (path.hasPrefix("/api_keys") ? "" : "/v1")
        var request = TransportRequest(
            isTunnelled ? "POST" : method, "\(base)\(path)?\(parts.joined(separator: "&"))")
        // The Expo client sends an empty field when it has no token.
        if style == .browser {
            request.fields["Origin"] = Self.origin
        } else {
            request.fields["Authorization"] = token ?? ""
        }
        if method != "GET" {
            request.fields["Content-Type"] = type ?? "application/x-www-form-urlencoded"
            request.body = body ?? Array(Self.encode(form).utf8)
        }
        let response = try await transport.send(request, deadline: .seconds(20))
        if let token = response.fields["Authorization"], !token.isEmpty { kept.withLock { $0 = token } }
        return RawAnswer(response)
    }

    static let origin = "http://localhost:3000"

    /// Gets a token for the browser, as clerk-js does when it starts.
    private func openBrowser() async throws {
        var request = TransportRequest("POST", "\(server.clerkURL)/v1/dev_browser")
        request.fields["Origin"] = Self.origin
        let answer = RawAnswer(try await transport.send(request, deadline: .seconds(20)))
        kept.withLock { $0 = answer.json["id"]?.string }
    }

    static func encode(_ form: KeyValuePairs<String, String>) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        func text(_ value: String) -> String {
            value.utf8.map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
            }.joined()
        }
        return form.map { "\($0.key)=\(text($0.value))" }.joined(separator: "&")
    }

    /// Opens a page as a browser does, and returns where it leads.
    func visit(_ url: String) async throws -> String {
        let answer = try await transport.send(TransportRequest("GET", url), deadline: .seconds(20))
        return answer.fields["Location"] ?? "\(answer.status)"
    }

    static let ada = "ada+clerk_test@example.test"

    /// Signs Ada in by her password. Returns the session's ID.
    @discardableResult
    func signIn() async throws -> String {
        let answer = try await send(
            "POST", "/client/sign_ins", ["identifier": Self.ada, "password": "ada-password"])
        guard let session = answer.content["created_session_id"]?.string else { throw Missing() }
        return session
    }

    /// What the client of the server says about its first session.
    func session() async throws -> JSON {
        let answer = try await send("GET", "/client")
        guard let session = answer.content["sessions"]?.array?.first else { throw Missing() }
        return session
    }
}

/// An answer of the development server's Clerk.
struct RawAnswer: Sendable {
    var status: Int
    var fields: HeaderFields
    var json: JSON
    var text: String

    init(_ response: TransportResponse) {
        (status, fields) = (response.status, response.fields)
        json = (try? JSON.parse(response.body, limits: JSONLimits(bytes: 1 << 22, depth: 64))) ?? .null
        text = String(decoding: response.body, as: UTF8.self)
    }

    /// What the envelope holds, or the body without one.
    var content: JSON { json.object?["response"] ?? json }
    /// The code of the first error.
    var code: String? { json["errors"]?.array?.first?["code"]?.string }
}

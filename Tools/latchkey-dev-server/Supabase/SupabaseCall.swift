import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// One parsed request to the dialect.
struct SupabaseCall {
    static let prefix = "/auth/v1"
    static let bodyLimit = 1 << 20

    let request: ServerRequest
    /// The parts of the path below the prefix.
    let path: [String]
    /// Whether the caller asked for the errors of 2024-01-01 or later.
    let usesNewErrors: Bool
    /// The role that the gateway has put in place of a key, if the caller sends no token.
    var keyRole: String?

    init(_ request: ServerRequest) {
        self.request = request
        path = request.path.dropFirst(Self.prefix.count).split(separator: "/").map(String.init)
        usesNewErrors = Self.isNew(request.field("X-Supabase-Api-Version"))
    }

    private static func isNew(_ version: String?) -> Bool {
        guard let version, version.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil else { return false }
        return version >= "2024-01-01"
    }

    var method: String { request.method }

    /// Returns the first parameter of the query with this name, if it has a value.
    func query(_ name: String) -> String? {
        request.queryPairs.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// Returns the request's access token.
    func bearer() throws(SupabaseFailure) -> String {
        let parts = (request.field("Authorization") ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else {
            throw SupabaseFailure(401, .noAuthorization, "This endpoint requires a valid Bearer token")
        }
        return String(parts[1])
    }

    /// Returns the JSON object in the body.
    func body() throws(SupabaseFailure) -> SupabaseBody {
        guard request.body.count <= Self.bodyLimit else {
            throw SupabaseFailure(413, .requestEntityTooLarge, "Request body exceeds maximum size")
        }
        guard !request.body.isEmpty, !isForm else { throw Self.unreadable("unexpected end of JSON input") }
        guard case .object(let members)? = try? JSON.parse(request.body) else {
            throw Self.unreadable("invalid character or no object")
        }
        return SupabaseBody(members: members)
    }

    /// Whether the body is a form, which a form's parser reads first.
    private var isForm: Bool {
        (request.field("Content-Type") ?? "").lowercased().hasPrefix("application/x-www-form-urlencoded")
    }

    static func unreadable(_ reason: String) -> SupabaseFailure {
        SupabaseFailure(400, .badJSON, "Could not parse request body as JSON: \(reason)")
    }
}

/// The members of a body. `null` and empty text count as absent.
struct SupabaseBody {
    let members: [String: JSON]

    func string(_ name: String) throws(SupabaseFailure) -> String? {
        try plainString(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the text as it is, even if empty; only `null` counts as absent.
    func plainString(_ name: String) throws(SupabaseFailure) -> String? {
        guard let value = try present(name, JSON.self) else { return nil }
        guard let text = value.string else { throw wrong(name) }
        return text
    }

    func bool(_ name: String) throws(SupabaseFailure) -> Bool? {
        guard let value = try present(name, JSON.self) else { return nil }
        guard let answer = value.bool else { throw wrong(name) }
        return answer
    }

    func object(_ name: String) throws(SupabaseFailure) -> [String: JSON]? {
        guard let value = try present(name, JSON.self) else { return nil }
        guard let object = value.object else { throw wrong(name) }
        return object
    }

    private func present(_ name: String, _: JSON.Type) throws(SupabaseFailure) -> JSON? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private func wrong(_ name: String) -> SupabaseFailure {
        SupabaseCall.unreadable("cannot unmarshal the value of \(name)")
    }
}

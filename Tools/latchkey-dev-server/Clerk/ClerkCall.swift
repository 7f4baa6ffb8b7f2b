import LatchkeyHTTPServer
import LatchkeyJSON

/// One parsed request to the dialect.
struct ClerkCall {
    static let prefix = "/clerk"

    let request: ServerRequest
    /// The method that is meant. Clerk's clients for browsers and Expo send only `GET` and `POST`, and name others in
    /// `_method`, in the query or in the form.
    let method: String
    /// The parts of the path below the version.
    let path: [String]
    /// The fields of the form in order.
    let pairs: [(name: String, value: String)]
    /// The first value of each field.
    let form: [String: String]
    /// Whether a native program asks, as opposed to a page in a browser.
    let isNative: Bool
    /// The client token: in the header of a native program, else that of the browser's client.
    var token: String?

    /// Parses the request, and refuses what the service refuses whatever is asked for.
    init(_ request: ServerRequest, _ settings: DevServer.Clerk) throws(ClerkRefusal) {
        self.request = request
        path = request.path.dropFirst("\(Self.prefix)/v1".count).split(separator: "/").map(String.init)
        let native = request.queryPairs.first { $0.name == "_is_native" }?.value
        isNative = native == "true" || native == "1"
        guard !isNative || settings.allowsNative else { throw ClerkRefusal(400, "native_api_disabled") }
        guard !settings.isInMaintenance else { throw ClerkRefusal(503, "maintenance_mode") }
        let value = request.field("Authorization") ?? ""
        guard value.isEmpty || request.field("Origin") == nil else {
            throw ClerkRefusal(400, "origin_authorization_headers_conflict")
        }
        guard request.count(ofField: "Authorization") < 2 else {
            throw ClerkRefusal(400, "multiple_authorization_header_values_forbidden")
        }
        guard !value.contains(" ") else { throw ClerkRefusal(401, "authorization_header_format_invalid") }
        token = value.isEmpty || !isNative ? nil : value
        let isPicture = ["profile_image", "logo"].contains(path.last)
        pairs = isPicture ? [] : try Self.form(request)
        form = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        let meant = request.queryPairs.first { $0.name == "_method" }?.value ?? form["_method"] ?? ""
        let isTunnel = request.method == "POST" && ["GET", "PATCH", "PUT", "DELETE"].contains(meant.uppercased())
        method = isTunnel ? meant.uppercased() : request.method
    }

    private static func form(_ request: ServerRequest) throws(ClerkRefusal) -> [(name: String, value: String)] {
        guard !request.body.isEmpty else { return [] }
        guard request.field("Content-Type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            throw ClerkRefusal(415, "unsupported_content_type")
        }
        guard let pairs = FormPairs.decode(request.body) else { throw ClerkRefusal(400, "request_body_invalid") }
        return pairs
    }

    /// Returns every value of a field that is repeated.
    func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// Whether a Boolean of the form is set. Clients write `true`, and clerk-ios writes `1`.
    func isTrue(_ name: String) -> Bool { ["true", "1"].contains(form[name]) }

    /// The nonce that a browser brought back.
    var nonce: String? { request.queryPairs.first { $0.name == "rotating_token_nonce" && !$0.value.isEmpty }?.value }

    /// Returns the number in the query.
    func number(_ name: String) -> Int? { query(name).flatMap { Int($0) } }

    func query(_ name: String) -> String? { request.queryPairs.first { $0.name == name }?.value }

    /// Returns every value that the query has under `name`.
    func queries(_ name: String) -> [String] {
        request.queryPairs.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }

    /// Whether a list is asked for that holds entries of this status.
    func wants(status: String) -> Bool {
        let wanted = queries("status")
        return wanted.isEmpty || wanted.contains(status)
    }

    /// Returns the size of the picture in the body: a part named `file`, or the text in Base64 that clerk-js sends.
    func image() throws(ClerkRefusal) -> Int {
        let (body, type) = (request.body, request.field("Content-Type") ?? "")
        let missing = ClerkRefusal(422, "form_param_missing", ["param_name": "file"])
        guard let mark = type.firstRange(of: "multipart/form-data; boundary=") else {
            guard !body.isEmpty, type.hasPrefix("application/octet-stream") else { throw missing }
            return body.count / 4 * 3
        }
        let boundary = type[mark.upperBound...].trimmingPrefix("\"").prefix { $0 != "\"" && $0 != ";" }
        guard let end = body.firstRange(of: Array("\r\n\r\n".utf8)), body.starts(with: Array("--\(boundary)\r\n".utf8)),
            String(decoding: body[..<end.lowerBound], as: UTF8.self).contains("name=\"file\"")
        else { throw missing }
        return body[end.upperBound...].dropLast("\r\n--\(boundary)--\r\n".utf8.count).count
    }

    /// Returns the form's value, or throws a refusal that names the field.
    func required(_ name: String) throws(ClerkRefusal) -> String {
        guard let value = form[name], !value.isEmpty else {
            throw ClerkRefusal(422, "form_param_missing", ["param_name": .string(name)])
        }
        return value
    }
}

/// A refusal in the service's format.
struct ClerkRefusal: Error {
    var status: Int
    var code: String
    var meta: JSON

    init(_ status: Int, _ code: String, _ meta: JSON = .object([:])) {
        (self.status, self.code, self.meta) = (status, code, meta)
    }

    /// The error as an entry of a list.
    var entry: JSON {
        [
            "code": .string(code), "message": "is refused",
            "long_message": .string("The development server refuses this (\(code))."), "meta": meta,
        ]
    }

    var response: ServerResponse {
        let body: JSON = ["errors": [entry], "clerk_trace_id": .string(ClerkState.name("trace"))]
        return .json(body.serialized(), status: status)
    }
}

extension DevServer.Endpoint {
    /// Whether the endpoint belongs to the Clerk dialect.
    var isClerk: Bool { self == .clerk || self == .clerkTokens }

    /// Finds the endpoint of the dialect that answers at `path`.
    init?(clerkPath path: String) {
        guard path.hasPrefix("\(ClerkCall.prefix)/") else { return nil }
        let parts = path.split(separator: "/")
        let isToken = parts.count >= 6 && parts[2] == "client" && parts[3] == "sessions" && parts[5] == "tokens"
        self = isToken ? .clerkTokens : .clerk
    }
}

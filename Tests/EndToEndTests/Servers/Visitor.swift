import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// A browser without a screen: keeps the cookies of one host, follows redirects inside it, stops at one that leaves.
actor Visitor {
    /// What it arrived at.
    struct Page {
        var status: Int
        /// Where it is, or where it was sent to when that is another place.
        var url: String
        var body: String
    }

    private let origin: String
    private let transport: any HTTPTransport
    private var cookies: [String: String] = [:]

    init(at issuer: String, over transport: any HTTPTransport) {
        origin = WebAddress(issuer)?.origin ?? issuer
        self.transport = transport
    }

    func get(_ url: String) async throws -> Page { try await go("GET", url) }

    func post(_ url: String, form: [String: String]) async throws -> Page {
        let body = form.map { "\(Self.escape($0.key))=\(Self.escape($0.value))" }.joined(separator: "&")
        return try await go("POST", url, type: "application/x-www-form-urlencoded", body: Array(body.utf8))
    }

    func send(_ method: String, _ url: String, json: JSON) async throws -> Page {
        try await go(method, url, type: "application/json", body: json.serialized())
    }

    /// Submits the form of `page` with its hidden fields and `fields`.
    func submit(_ page: Page, _ fields: [String: String]) async throws -> Page {
        try await post(page.url, form: Self.hiddenFields(page.body).merging(fields) { $1 })
    }

    private func go(_ method: String, _ url: String, type: String? = nil, body: [UInt8]? = nil) async throws -> Page {
        var (method, url, type, body) = (method, url, type, body)
        for _ in 0..<10 {
            var fields = HeaderFields(["Referer": origin].map { ($0.key, $0.value) })
            fields["Content-Type"] = type
            if !cookies.isEmpty { fields["Cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
            let request = TransportRequest(method, url, fields: fields, body: body)
            let response = try await transport.send(request, deadline: .seconds(10))
            keep(response.fields.all("Set-Cookie"))
            guard (300..<400).contains(response.status), let location = response.fields["Location"] else {
                return Page(status: response.status, url: url, body: String(decoding: response.body, as: UTF8.self))
            }
            let next = location.hasPrefix("/") ? origin + location : location
            guard next.hasPrefix(origin + "/") else { return Page(status: response.status, url: next, body: "") }
            (method, url, type, body) = ("GET", next, nil, nil)
        }
        throw ServerFailure(description: "\(origin) redirects without end")
    }

    private func keep(_ lines: [String]) {
        for line in lines {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
    }

    private static func hiddenFields(_ html: String) -> [String: String] {
        var fields: [String: String] = [:]
        for input in html.matches(of: /<input[^>]*type="hidden"[^>]*>/) {
            let text = String(html[input.range])
            guard let name = text.firstMatch(of: /name="([^"]+)"/)?.1 else { continue }
            fields[String(name)] = text.firstMatch(of: /value="([^"]*)"/).map { String($0.1) } ?? ""
        }
        return fields
    }

    static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

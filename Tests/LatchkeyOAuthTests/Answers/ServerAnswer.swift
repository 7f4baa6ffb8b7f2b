import Foundation
import Latchkey
import LatchkeyOAuthCore

/// What a real server answered, and what it was asked.
struct ServerAnswer: Sendable {
    /// Where a client reads such an answer.
    enum Place: String, CaseIterable, Sendable {
        case document, keys, redirect, code, refresh, client, poll, revocation, device, userinfo, api
    }

    let server: String
    /// The topic, and after a colon what was tried.
    let name: String
    /// When it was answered, in seconds since 1970.
    let at: Double
    let method: String
    let url: String
    let form: FormParameters
    let authorization: String?
    /// `nil` if no answer came.
    let response: TransportResponse?

    /// Reads an entry of a recording.
    init?(_ entry: [String: Any], of server: String) {
        guard let name = entry["name"] as? String, let request = entry["request"] as? [String: Any],
            let method = request["method"] as? String, let url = request["url"] as? String
        else { return nil }
        var form = FormParameters()
        for (field, value) in (request["form"] as? [String: Any] ?? [:]).sorted(by: { $0.key < $1.key }) {
            for item in value as? [String] ?? [value as? String ?? ""] { form.add(field, item) }
        }
        var response: TransportResponse?
        if let answer = entry["response"] as? [String: Any], let status = answer["status"] as? Int {
            var fields = HeaderFields()
            for line in answer["headers"] as? [[String]] ?? [] where line.count == 2 { fields.add(line[0], line[1]) }
            response = TransportResponse(
                status: status, fields: fields, body: Array((answer["body"] as? String ?? "").utf8))
        }
        let headers = request["headers"] as? [String: String] ?? [:]
        self.init(
            server: server, name: name, at: entry["at"] as? Double ?? 1_795_645_816, method: method, url: url,
            form: form, authorization: headers["Authorization"], response: response)
    }

    init(
        server: String, name: String, at: Double, method: String, url: String, form: FormParameters,
        authorization: String?, response: TransportResponse?
    ) {
        (self.server, self.name, self.at, self.method, self.url) = (server, name, at, method, url)
        (self.form, self.authorization, self.response) = (form, authorization, response)
    }

    /// The address without its query, and without a slash at the end.
    var path: String {
        let plain = url.prefix { $0 != "?" && $0 != "#" }
        return String(plain.hasSuffix("/") ? plain.dropLast() : plain)
    }

    /// What was tried, without the topic.
    var tried: String { name.split(separator: ":", maxSplits: 1).last.map(String.init) ?? name }

    /// Where a client reads the answer, by what was asked.
    var place: Place {
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        if let grant = form["grant_type"]?.lowercased() {
            switch grant {
            case "authorization_code": return .code
            case "refresh_token": return .refresh
            case "urn:ietf:params:oauth:grant-type:device_code": return .poll
            default: return .client
            }
        }
        if ["jwks", "keys", "certs", "jwks.json"].contains(last) { return .keys }
        if path.contains("/.well-known/") { return path.contains("protected-resource") ? .api : .document }
        if ["token", "access_token"].contains(last) { return .client }
        if last == "revoke" { return .revocation }
        if last == "userinfo" { return .userinfo }
        let devices = ["/device/code", "/device_authorization", "/auth/device"]
        if devices.contains(where: { path.hasSuffix($0) }) { return .device }
        return appRedirect == nil && !Self.browserTopics.contains(topic) ? .api : .redirect
    }

    /// The address at which the browser comes back to the app, if the answer sends it there.
    var appRedirect: String? {
        guard let place = response?.fields["Location"], let target = WebAddress(place), let asked = WebAddress(url),
            target.origin != asked.origin, ["/callback", "/other"].contains(target.path)
        else { return nil }
        return place
    }

    private var topic: String { String(name.prefix { $0 != ":" }) }
    private static let browserTopics: Set<String> = ["authorize", "end session", "second login"]

    /// The client's ID: in `Authorization: Basic`, it counts before the one in the form.
    var clientID: String {
        [basic?.id, form["client_id"]].lazy.compactMap { $0 }.first { !$0.isEmpty } ?? "client"
    }

    /// The client's ID and secret in `Authorization: Basic`, decoded.
    var basic: (id: String, secret: String)? {
        guard let authorization, authorization.hasPrefix("Basic "),
            let bytes = Data(base64Encoded: String(authorization.dropFirst(6))),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        func text(_ part: Data) -> String {
            let written = String(decoding: part, as: UTF8.self)
            return written.removingPercentEncoding ?? written
        }
        return (text(bytes[..<colon]), text(bytes[bytes.index(after: colon)...]))
    }
}

extension ServerAnswer {
    /// The members of the body, by another parser than the provider's; `nil` if it is no JSON object.
    var members: [String: Any]? {
        response.flatMap { try? JSONSerialization.jsonObject(with: Data($0.body)) } as? [String: Any]
    }

    /// The issuer that a document names.
    var issuerNamed: String? { response?.status == 200 ? members?["issuer"] as? String : nil }

    /// Head and claims of an ID token in the answer, not checked.
    var idToken: (head: [String: Any], claims: [String: Any])? {
        let parts = (members?["id_token"] as? String ?? "").split(separator: ".").map(String.init)
        guard parts.count == 3, let head = Self.object(parts[0]), let claims = Self.object(parts[1]) else { return nil }
        return (head, claims)
    }

    private static func object(_ part: String) -> [String: Any]? {
        var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text).flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
    }
}

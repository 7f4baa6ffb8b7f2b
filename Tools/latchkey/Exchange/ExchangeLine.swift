import Latchkey
import LatchkeyJSON

/// One line about a request or an answer, made of words that cannot be secret: methods, origins, names of fields and
/// members, sizes, times, and words of the protocol. Of everything else it says that it is there: `…`.
enum ExchangeLine {
    /// The members whose value is a word of the protocol.
    private static let words: Set<String> = [
        "grant_type", "response_type", "code_challenge_method", "token_type", "token_type_hint", "error", "error_code",
    ]

    /// Returns the line of a request.
    static func of(_ request: TransportRequest) -> String {
        var parts = [request.method, address(request.url)]
        let query = WebAddress(request.url)?.query.map { names(form: Array($0.utf8)) } ?? []
        if !query.isEmpty { parts.append("?(\(query.joined(separator: ", ")))") }
        if let scheme = request.fields["Authorization"].map(scheme) { parts.append("[Authorization: \(scheme) …]") }
        if let body = request.body, !body.isEmpty {
            parts.append(content(body, type: request.fields["Content-Type"]))
        }
        return parts.joined(separator: " ")
    }

    /// Returns the line of an answer that took `time`.
    static func of(_ response: TransportResponse, after time: Duration, _ texts: ToolTexts) -> String {
        let measures = ["time": milliseconds(time), "size": "\(response.body.count)"]
        var parts = ["\(response.status)", texts("exchange.answer", measures)]
        if let wait = response.fields["Retry-After"] {
            parts.append("[Retry-After: \(wait.utf8.allSatisfy { (0x30...0x39).contains($0) } ? wait : "…")]")
        }
        if let location = response.fields["Location"] { parts.append("[Location: \(address(location))]") }
        if !response.body.isEmpty { parts.append(content(response.body, type: response.fields["Content-Type"])) }
        return parts.joined(separator: " ")
    }

    /// Returns the line of what the service says about an error; `nil` if it says nothing.
    static func said(in response: TransportResponse, to request: TransportRequest, _ texts: ToolTexts) -> String? {
        guard response.status >= 400, let body = try? JSON.parse(response.body) else { return nil }
        let names = ["error_description", "msg", "message", "Message"]
        let text = ServiceText(in: body, names, address: "error_uri", to: request)
        return text.map { "< " + Console.printable($0.text(in: texts.language)) }
    }

    /// Returns the line of a failure.
    static func of(
        _ error: any Error, to request: TransportRequest, after time: Duration, _ texts: ToolTexts
    ) -> String {
        guard var error = error as? TransportError else {
            return texts("exchange.cancelled", ["time": milliseconds(time)])
        }
        error.origin = error.origin ?? WebAddress(request.url)?.origin
        let problem = error.text(in: texts.language)
        return texts("exchange.failed", ["problem": problem, "time": milliseconds(time)])
    }

    private static func milliseconds(_ time: Duration) -> String { "\(time.wholeNanoseconds / 1_000_000)" }

    /// Returns origin and path. A part of the path that may be an identifier or a ticket is hidden.
    private static func address(_ url: String) -> String {
        guard let address = WebAddress(url) else { return "…" }
        guard !address.host.isEmpty else { return "\(address.scheme):…" }
        let parts = address.path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            isWord(part, limit: 40) && part.count(where: \.isNumber) < 4 ? String(part) : "…"
        }
        return address.origin + parts.joined(separator: "/")
    }

    private static func scheme(_ value: String) -> String {
        ["Basic", "Bearer", "DPoP"].first { value.hasPrefix($0 + " ") } ?? "…"
    }

    private static func content(_ body: [UInt8], type: String?) -> String {
        let kind = (type ?? "").split(separator: ";").first.map { $0.lowercased() } ?? ""
        if kind == "application/x-www-form-urlencoded" {
            return "form(\(names(form: body).joined(separator: ", ")))"
        }
        guard kind.hasSuffix("json") else { return isWord(kind[...], limit: 60) ? kind : "…" }
        guard let object = (try? JSON.parse(body))?.object else { return "json(…)" }
        return "json(\(object.keys.sorted().map { shown($0, object[$0]?.string) }.joined(separator: ", ")))"
    }

    private static func names(form: [UInt8]) -> [String] {
        String(decoding: form, as: UTF8.self).split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1]).replacing("%3A", with: ":") : nil
            return shown(String(parts[0]), value)
        }
    }

    private static func shown(_ name: String, _ value: String?) -> String {
        guard isWord(name[...], limit: 40) else { return "…" }
        guard words.contains(name), let value, isWord(value[...], limit: 64), !value.contains(where: \.isNumber) else {
            return name
        }
        return "\(name)=\(value)"
    }

    /// Whether `text` is lower-case words: what a protocol names, and neither a token nor a code.
    private static func isWord(_ text: Substring, limit: Int) -> Bool {
        text.utf8.count <= limit
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "._-:/[]+~".utf8.contains($0)
            }
    }
}

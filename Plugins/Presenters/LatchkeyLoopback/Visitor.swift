import LatchkeyHTTPServer

/// Who sends a request, as far as its head says.
struct Visitor {
    /// The path as sent, without the query; empty if there is none.
    let path: String
    private let fields: [(name: String, value: String)]

    init(target: String?, fields: [(name: String, value: String)]) {
        path = String((target ?? "").prefix { $0 != "?" })
        self.fields = fields
    }

    /// The language of the pages.
    var language: PageLanguage {
        PageLanguage(accepting: fields.first { $0.name.lowercased() == "accept-language" }?.value)
    }

    /// Whether a person comes here: an image, frame or script of a web page does not.
    var isPerson: Bool { says("sec-fetch-mode", "navigate") && says("sec-fetch-dest", "document") }

    /// Whether every field called `name` is `value`, which is also true without the field, as with older browsers.
    private func says(_ name: String, _ value: String) -> Bool {
        fields.allSatisfy { $0.name.lowercased() != name || $0.value == value }
    }
}

extension ServerRequest {
    /// Who sends the request.
    var visitor: Visitor { Visitor(target: rawTarget, fields: fields) }
}

/// A language of the pages that people see.
package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case french = "fr"

    /// Chooses the language that `header` prefers (RFC 9110, section 12.5.4); English if the header has neither.
    package init(accepting header: String?) {
        var best: (language: PageLanguage, weight: Double)?
        for range in (header ?? "").split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let tag = parts.first?.split(separator: "-").first,
                let language = PageLanguage(rawValue: String(tag))
            else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self = best?.language ?? .english
    }
}

extension ServerRequest {
    /// The language of the person who sent the request.
    package var language: PageLanguage { PageLanguage(accepting: field("Accept-Language")) }
}

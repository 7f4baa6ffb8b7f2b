public import Latchkey

/// How long discovery documents and key sets are kept
/// ([RFC 9111, section 4.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.2), within fixed bounds).
public enum Freshness {
    /// The shortest time, which holds even if the service forbids caching.
    public static let floor = Duration.seconds(300)
    /// The longest time.
    public static let ceiling = Duration.seconds(86_400)

    /// Returns `max-age` less `Age`, between ``floor`` and ``ceiling``; ``floor`` if the answer
    /// says nothing, `no-store` or `no-cache`.
    public static func of(_ fields: HeaderFields) -> Duration {
        let directives = fields.all("Cache-Control").filter { $0.utf8.count <= 1_024 }
            .flatMap { $0.split(separator: ",") }
            .map { $0.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
        guard !directives.contains("no-store"), !directives.contains("no-cache"),
            let maxAge = directives.first(where: { $0.hasPrefix("max-age=") }).flatMap({ Int64($0.dropFirst(8)) }),
            maxAge > 0
        else { return floor }
        let age = max(0, fields["Age"].flatMap { Int64($0) } ?? 0)
        let rest = maxAge > age ? maxAge - age : 0
        return min(max(.seconds(rest), floor), ceiling)
    }
}

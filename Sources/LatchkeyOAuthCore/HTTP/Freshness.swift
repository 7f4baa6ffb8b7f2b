import FoundationEssentials
public import Latchkey

/// How long discovery documents and key sets are kept
/// ([RFC 9111, section 4.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.2), within fixed bounds).
///
/// | The service says | In memory | Between processes |
/// | --- | --- | --- |
/// | `max-age`, or else `Expires` | that, less `Age` | the same |
/// | `no-store`, `no-cache`, or what cannot be read | ``floor`` | ``floor`` |
/// | nothing | ``floor`` | ``unsaid`` |
///
/// Each is at least ``floor`` and at most ``ceiling``.
public enum Freshness {
    /// The shortest time, which holds even if the service forbids caching.
    public static let floor = Duration.seconds(300)
    /// The longest time.
    public static let ceiling = Duration.seconds(86_400)
    /// How long a document is kept between processes if the service says nothing. Most access tokens last an hour, so a
    /// shorter time would mean asking again for each refresh.
    public static let unsaid = Duration.seconds(43_200)

    /// Returns `max-age`, or the time from `Date` to `Expires`, less `Age`, between ``floor`` and ``ceiling``; ``floor``
    /// if the answer says nothing, `no-store` or `no-cache`.
    public static func of(_ fields: HeaderFields) -> Duration {
        let directives = directives(fields)
        guard !directives.contains("no-store"), !directives.contains("no-cache"),
            let lasts = maxAge(directives) ?? expires(fields), lasts > 0
        else { return floor }
        let age = max(0, fields["Age"].flatMap { Int64($0) } ?? 0)
        let rest = lasts > age ? lasts - age : 0
        return min(max(.seconds(rest), floor), ceiling)
    }

    /// Returns the same for a document that is kept between processes.
    public static func kept(_ fields: HeaderFields) -> Duration {
        let saysNothing = ["Cache-Control", "Expires", "Pragma"].allSatisfy { fields[$0] == nil }
        return saysNothing ? unsaid : of(fields)
    }

    private static func directives(_ fields: HeaderFields) -> [String] {
        fields.all("Cache-Control").filter { $0.utf8.count <= 1_024 }
            .flatMap { $0.split(separator: ",") }
            .map { $0.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
    }

    /// `max-age`, in seconds. One that is no number counts as zero: it overrides `Expires` all the same.
    private static func maxAge(_ directives: [String]) -> Int64? {
        directives.first { $0.hasPrefix("max-age=") }.map { Int64($0.dropFirst(8)) ?? 0 }
    }

    /// The seconds from `Date` to `Expires` (RFC 9111, section 5.3). Without a `Date` the two clocks cannot be compared.
    private static func expires(_ fields: HeaderFields) -> Int64? {
        guard let expires = fields["Expires"], let date = fields["Date"] else { return nil }
        // The date only tells the century of years of two digits.
        let now = HTTPDate.read(date, now: Date(timeIntervalSince1970: 0))
        guard let now, let end = HTTPDate.read(expires, now: now) else { return nil }
        let lasts = end.timeIntervalSince(now)
        return abs(lasts) < 1e10 ? Int64(lasts) : nil
    }
}

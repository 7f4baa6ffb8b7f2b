import FoundationEssentials

/// A language in which this package speaks to people.
@nonexhaustive
public enum TextLanguage: String, CaseIterable, Hashable, Sendable {
    /// English.
    case english = "en"
    /// French.
    case french = "fr"

    /// The one that `LC_ALL`, `LC_MESSAGES` or `LANG` names, in this order (POSIX.1-2017, section 8.2); English
    /// otherwise.
    public init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let code = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }.lowercased()
        self = Self(rawValue: code) ?? .english
    }

    /// The one of this process's environment.
    public static var system: TextLanguage { TextLanguage(environment: ProcessInfo.processInfo.environment) }
}

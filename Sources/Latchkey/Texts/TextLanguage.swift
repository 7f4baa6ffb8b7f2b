import FoundationEssentials

/// A language that this package's texts are available in.
@nonexhaustive
public enum TextLanguage: String, CaseIterable, Hashable, Sendable {
    /// English.
    case english = "en"
    /// French.
    case french = "fr"

    /// Picks the language that `LC_ALL`, `LC_MESSAGES` or `LANG` names, in this order
    /// (POSIX.1-2017, section 8.2); otherwise English.
    public init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let code = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }.lowercased()
        self = Self(rawValue: code) ?? .english
    }

    /// The language of this process's environment.
    public static var system: TextLanguage { TextLanguage(environment: ProcessInfo.processInfo.environment) }
}

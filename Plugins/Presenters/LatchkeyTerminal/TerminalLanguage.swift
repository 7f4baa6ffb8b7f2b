import FoundationEssentials

/// The language of the questions.
public enum TerminalLanguage: String, Sendable {
    /// English.
    case english
    /// French.
    case french

    /// The one that `LC_ALL`, `LC_MESSAGES` or `LANG` names, in this order (POSIX.1-2017, section 8.2); English
    /// otherwise.
    public init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let language = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }.lowercased()
        self = language == "fr" ? .french : .english
    }

    /// The one of this process's environment.
    public static var system: TerminalLanguage { TerminalLanguage(environment: ProcessInfo.processInfo.environment) }
}

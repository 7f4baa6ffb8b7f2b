/// The pages.
enum WebRoute: String, CaseIterable, Sendable {
    case signIn = "sign-in"
    case signUp = "sign-up"
    case reset
    case challenge
    case callback
    case account
    case sessions
    case locked
    case language
    case style = "style.css"

    /// The page at `path`; `nil` if there is none.
    init?(_ path: String, below base: String) {
        guard path.hasPrefix(base + "/") else { return nil }
        self.init(rawValue: String(path.dropFirst(base.utf8.count + 1)))
    }

    /// Whether its forms are sent to it.
    var takesForms: Bool { self != .callback && self != .style }
    /// Whether it can be shown.
    var isPage: Bool { self != .language }
}

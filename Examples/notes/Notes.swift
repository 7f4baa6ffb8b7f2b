public import Latchkey

/// The part of an app that needs a person: it loads notes, and says which screen to show.
public struct Notes<Base: HTTPTransport>: Sendable {
    /// What the app shows.
    public enum Screen: Hashable, Sendable {
        /// The notes.
        case notes(String)
        /// The sign-in.
        case signIn
        /// The notes of last time, and that they cannot be loaded now.
        case offline
        /// The lock.
        case unlock
        /// One sentence.
        case message(String)
    }

    private let api: AuthorizedTransport<Base>
    private let address: String

    /// Creates it over the app's one client. Tokens go to the origin of `address`, and nowhere else.
    public init(_ auth: AuthClient, at address: String, over transport: Base) throws(AuthError) {
        api = try auth.authorized(transport, origins: [WebAddress(address)?.origin ?? address])
        self.address = address
    }

    /// Loads the notes.
    public func load() async -> Screen {
        do {
            let answer = try await api.send(TransportRequest("GET", address), deadline: .seconds(10))
            switch answer.status {
            case 200: return .notes(String(decoding: answer.body, as: UTF8.self))
            case 401: return .message("The server does not accept this session.")
            default: return .message("The server answered \(answer.status).")
            }
        } catch let error as AuthError {
            switch error.recovery {
            case .signIn: return .signIn
            case .unlock: return .unlock
            case .retryLater: return .offline
            default: return .message(error.text(in: .english))
            }
        } catch {
            return .offline
        }
    }
}

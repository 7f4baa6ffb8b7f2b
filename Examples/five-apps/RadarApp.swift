import Latchkey
import LatchkeyClerk
import LatchkeyCurl
import LatchkeyModel

/// A radar app on Clerk. People sign up with a user name and a code of a mail; session tokens are short-lived and live in memory,
/// and the session is kept across launches.
@MainActor final class RadarApp: App {
    private static let key = "pk_test_bGF0Y2hrZXkuY2xlcmsuYWNjb3VudHMuZGV2JA"
    private let auth: AuthClient
    private let screens: Screens
    /// What the app's backend checks tokens with.
    private let backend: ClerkTokenVerifier
    private var latest: Secret?

    init(_ place: Place) throws {
        let keypad = Keypad()
        let instance = "\(place.service)/clerk"
        auth = try place.client(
            .clerk(publishableKey: Self.key, proxyURL: instance), "Show your radar", keypad,
            UnlockPolicy(enrolment: .offered)
        ).build()
        backend = try ClerkTokenVerifier(publishableKey: Self.key, proxyURL: instance, transport: CurlTransport())
        screens = Screens(auth, keypad) { options in
            options.language = .english
            options.signUpFields = [Ask.Field(name: "username")]
        }
    }

    func open() async -> String { await screens.open() }

    func take(_ tap: Tap) async -> String {
        switch tap.word {
        case "sign-up":
            await screens.fill(.signUp, tap)
            return screens.shown
        case "scan": return await scan()
        case "end-others": return await endOthers()
        default: return await screens.take(tap)
        }
    }

    func close() async { await auth.finish() }

    /// Shows the backend a token. It knows the person by it, and nothing else of the app.
    private func scan() async -> String {
        do {
            let token = try await auth.accessToken().value
            let claims = try await backend.verify(token)
            defer { latest = token }
            return "the backend sees \(claims.user) by \(token != latest ? "a new token" : "the same token")"
        } catch {
            let error = AuthError(error)
            return "no scan: \(error.code.name), \(error.recovery.rawValue)"
        }
    }

    /// Signs the person out on their other devices.
    private func endOthers() async -> String {
        do {
            let radar = try auth.clerk()
            let others = try await radar.sessions().filter { !$0.isCurrent }
            for session in others { try await radar.endSession(session.id) }
            return "ended \(others.count) other sessions"
        } catch {
            return "not ended: \(AuthError(error).code.name)"
        }
    }
}

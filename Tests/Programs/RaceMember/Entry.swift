import Latchkey
import LatchkeyCurl
import LatchkeyOAuth

/// Which session at which service, reached by which way.
struct Entry {
    /// What the store does against the other processes.
    enum Protection: String {
        /// All there is.
        case full
        /// All there is, but that a refresh is given up when any other request would be.
        case hasty
        /// Compare-and-swap, and no lane.
        case noLock = "no-lane"
        /// Nothing.
        case none
    }

    static let usage = "Usage: race-member ISSUER CLIENT SCOPES PROXY DIRECTORY full|hasty|no-lane|none"

    let directory: String
    let protection: Protection
    private let provider: OAuthProvider
    private let transport: Detour

    init?(_ arguments: ArraySlice<String>) {
        let words = Array(arguments)
        guard words.count == 6, let origin = WebAddress(words[0])?.origin,
            let protection = Protection(rawValue: words[5])
        else { return nil }
        let scopes = words[2] == "-" ? nil : words[2].split(separator: ",").map(String.init)
        provider = .oauth(issuer: words[0], clientID: words[1], scopes: scopes)
        transport = Detour(around: origin, by: words[3], over: CurlTransport())
        (directory, self.protection) = (words[4], protection)
    }

    func client(over store: any SessionStore) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        // Without the lane it is the mark that makes the others wait, for as long as a request may take.
        if protection == .noLock { settings.requestDeadline = .seconds(2) }
        if protection == .hasty { settings.familyDeadline = settings.requestDeadline }
        return try AuthClient.Builder()
            .provider(provider).store(store).transport(transport).settings(settings).build()
    }
}

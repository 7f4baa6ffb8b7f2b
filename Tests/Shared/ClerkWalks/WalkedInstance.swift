import FoundationEssentials
import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem

@testable import LatchkeyDevServer

/// A Clerk instance in this process, with some of its switches on, and what it knows.
final class WalkedInstance: HTTPTransport {
    let settings: Set<DevServer.ClerkSetting>
    let server: DevServer

    /// What a browser comes back to.
    static let redirect = "http://127.0.0.1:8765/callback"

    init(_ settings: Set<DevServer.ClerkSetting>) throws {
        self.settings = settings
        var configuration = DevServer.Configuration(port: 0, autoApprove: true)
        configuration.clerk.settings = settings
        configuration.clerk.users = WalkedPerson.users
        // Alone, the list is empty: the browser comes back with nothing.
        configuration.clerk.redirects = settings == [.allowList] ? [] : [Self.redirect]
        server = try DevServer(configuration)
    }

    func has(_ setting: DevServer.ClerkSetting) -> Bool { settings.contains(setting) }

    // MARK: The wire

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard request.url.hasPrefix(server.issuer) else { throw TransportError(.unreachable, wasSent: false) }
        var fields = request.fields.lines
        fields.append(("Host", "127.0.0.1:\(server.port)"))
        let target = String(request.url.dropFirst(server.issuer.count))
        guard let asked = ServerRequest(request.method, target, fields: fields, body: request.body ?? []),
            let answer = await server.answer(asked)
        else { throw TransportError(.interrupted, wasSent: true) }
        return TransportResponse(status: answer.status, fields: HeaderFields(answer.fields), body: answer.body)
    }

    /// Opens `url` as a browser does, and returns where it ends.
    func browse(_ url: String) async throws -> Secret? {
        var next = url
        for _ in 0..<10 {
            if next.hasPrefix(Self.redirect) { return Secret(next) }
            let response = try await send(TransportRequest("GET", next), deadline: .seconds(10))
            guard let location = response.fields["Location"] else { return nil }
            next = location.hasPrefix("/") ? server.issuer + location : location
        }
        return nil
    }

    // MARK: What it knows

    /// The last code that was sent to a person.
    func code(to address: String) -> Secret {
        Secret(server.clerkMessages.last { $0.to == address && !$0.code.isEmpty }?.code ?? "")
    }

    func link(to address: String) -> String? { server.clerkMessages.last { $0.to == address && $0.link != nil }?.link }

    /// The status of a session, and whose it is; `nil` if there is none of that ID.
    func session(_ id: String) -> (status: String, person: String)? {
        server.state.withLock { state in
            state.clerk.settings = state.configuration.clerk
            let all = state.clerk.clients.all.flatMap(\.sessions)
            return all.first { $0.id == id }.map { (state.clerk.status(of: $0), $0.person) }
        }
    }

    /// The person with that address.
    func person(_ address: String) -> String? { server.state.withLock { $0.clerk.person(address)?.id } }

    /// How many sessions of that person are not over.
    func sessions(of address: String) -> Int {
        server.state.withLock { state in
            guard let id = state.clerk.person(address)?.id else { return 0 }
            return state.clerk.clients.all.flatMap(\.signedIn).count { $0.person == id }
        }
    }

    /// Lets the other service report this visitor.
    func visits(as address: String?) { server.configureClerk { $0.visitor = address } }
}

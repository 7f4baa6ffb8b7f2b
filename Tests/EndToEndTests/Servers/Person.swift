import Latchkey
import LatchkeyJSON

/// Somebody with an account at a server and a browser, signed in there.
protocol Person: Sendable {
    init(at issuer: String, over transport: any HTTPTransport) async throws
    /// Opens an authorization request, agrees, and tells to which address the browser was sent.
    func visit(_ url: String) async throws -> String
    /// Enters a device's code, and agrees.
    func approve(_ device: Ask.Device) async throws
}

/// `user1` at Glewlwyd. Its pages are programs, so this speaks the interface behind them.
struct GlewlwydPerson: Person {
    private let visitor: Visitor

    init(at issuer: String, over transport: any HTTPTransport) async throws {
        visitor = Visitor(at: issuer, over: transport)
        let base = issuer.dropLast("/oidc".count)
        let login = try await visitor.send(
            "POST", "\(base)/auth/", json: ["username": "user1", "password": "password"])
        guard login.status == 200 else { throw ServerFailure(description: "Glewlwyd refuses user1") }
        for client in ["pub1", "conf1"] {
            let granted = try await visitor.send(
                "PUT", "\(base)/auth/grant/\(client)", json: ["scope": "openid profile email offline_access api"])
            guard granted.status == 200 else { throw ServerFailure(description: "Glewlwyd refuses the consent") }
        }
    }

    func visit(_ url: String) async throws -> String { try await visitor.get(url + "&g_continue").url }

    func approve(_ device: Ask.Device) async throws {
        let page = try await visitor.get("\(device.at)?code=\(Visitor.escape(device.userCode))&g_continue")
        guard page.url.contains("deviceComplete") else {
            throw ServerFailure(description: "Glewlwyd does not take the device's code")
        }
    }
}

/// `user1` at django-oauth-toolkit, by its forms.
struct DjangoPerson: Person {
    private let visitor: Visitor

    init(at issuer: String, over transport: any HTTPTransport) async throws {
        visitor = Visitor(at: issuer, over: transport)
        let base = issuer.dropLast("/o".count)
        let form = try await visitor.get("\(base)/admin/login/")
        let page = try await visitor.submit(
            form, ["username": "user1", "password": "password", "next": "/o/.well-known/jwks.json"])
        guard page.url.hasSuffix("jwks.json") else {
            throw ServerFailure(description: "Django refuses user1: \(form.status), \(page.status) at \(page.url)")
        }
    }

    func visit(_ url: String) async throws -> String { try await visitor.get(url).url }

    func approve(_ device: Ask.Device) async throws {
        let confirm = try await visitor.submit(try await visitor.get(device.at), ["user_code": device.userCode])
        let done = try await visitor.submit(confirm, ["action": "accept"])
        guard done.url.contains("device-grant-status") else {
            throw ServerFailure(description: "Django does not take the device's code")
        }
    }
}

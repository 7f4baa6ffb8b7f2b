import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyModel
import LatchkeyTesting
import Testing

@testable import LatchkeyWebSignIn

@Suite("Pages over real sockets and a real disk", .timeLimit(.minutes(1))) struct SocketTests {
    private static func web(in folder: String, _ service: ScriptedProvider) -> WebSignIn {
        var options = WebSignInOptions(name: "Notes", origin: WebBench.origin)
        options.model.methods = [.password]
        return WebSignIn(store: .file(unencryptedAt: folder), options: options) { store, _ in
            try AuthClient.Builder().provider(service).store(store).transport(ScriptedTransport()).build()
        }
    }

    /// Runs `work` against a server of these pages.
    private static func serving(_ web: WebSignIn, _ work: (SocketBrowser) async throws -> Void) async throws {
        try await LocalServer.with { request in
            let names = ["Cookie", "Content-Type", "Origin"]
            let sent = names.flatMap { name in request.fields.all(name).map { (name, $0) } }
            let target = request.path + (request.query.map { "?\($0)" } ?? "")
            let response = await web.respond(
                to: WebRequest(request.method, target, fields: sent, body: request.body))
            var fields = HeaderFields()
            for field in response.fields { fields.add(field.name, field.value) }
            return .answer(TransportResponse(status: response.status, fields: fields, body: response.body))
        } during: { server in
            try await work(SocketBrowser(url: server.url))
        }
        await web.finish()
    }

    @Test("forty people sign in at once over one store, and all are signed in after the server was started anew")
    func crowd() async throws {
        try await TemporaryFolder.with { folder in
            let service = ScriptedProvider()
            var browsers: [SocketBrowser] = []
            try await Self.serving(Self.web(in: folder["sessions"], service)) { first in
                browsers = try await withThrowingTaskGroup(of: SocketBrowser.self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            var browser = first
                            try await browser.signIn()
                            return browser
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(Set(browsers.map(\.cookie)).count == 40)
            #expect(service.beginCount == 40)
            let signedIn = browsers
            try await Self.serving(Self.web(in: folder["sessions"], service)) { next in
                for browser in signedIn {
                    var browser = browser
                    browser.url = next.url
                    let page = try await browser.get("/auth/account")
                    #expect(page.status == 200 && page.text.contains("You are signed in as alice."))
                }
            }
            #expect(service.beginCount == 40)
        }
    }

    @Test("what is no request of a browser gets its status over a socket too") func refused() async throws {
        try await TemporaryFolder.with { folder in
            try await Self.serving(Self.web(in: folder["sessions"], ScriptedProvider())) { browser in
                let large = String(repeating: "a", count: WebRequest.bodyLimit)
                let found = [
                    try await browser.get("/auth/nothing").status, try await browser.get("/auth/account").status,
                    try await browser.post("/auth/sign-in", [("a", "b")]).status,
                    try await browser.post("/auth/sign-in", [("a", large)]).status,
                ]
                #expect(found == [404, 303, 403, 413])
            }
        }
    }
}

/// A browser over a socket, with the one cookie.
struct SocketBrowser: Sendable {
    var url: String
    private(set) var cookie = ""
    private let transport = CurlTransport()

    init(url: String) { self.url = url }

    mutating func signIn() async throws {
        let page = try await get("/auth/sign-in")
        take(page.response)
        let form = page.text.components(between: "<form ", and: "</form>").first ?? ""
        let hidden = form.components(between: "<input type=\"hidden\" name=\"", and: "\">").map { field in
            let parts = field.components(separatedBy: "\" value=\"")
            return (parts[0], parts[1])
        }
        let sent = try await post("/auth/sign-in", hidden + [("identifier", "a@example.com"), ("password", "p")])
        #expect(sent.status == 303)
        take(sent.response)
    }

    func get(_ path: String) async throws -> (status: Int, text: String, response: TransportResponse) {
        try await send(TransportRequest("GET", url + path))
    }

    func post(
        _ path: String, _ form: [(String, String)]
    ) async throws -> (status: Int, text: String, response: TransportResponse) {
        let body = form.map { "\($0.0)=\(FormText.encode($0.1))" }.joined(separator: "&")
        var request = TransportRequest("POST", url + path, body: Array(body.utf8))
        request.fields.add("Content-Type", "application/x-www-form-urlencoded")
        request.fields.add("Origin", WebBench.origin)
        return try await send(request)
    }

    private func send(
        _ request: TransportRequest
    ) async throws -> (status: Int, text: String, response: TransportResponse) {
        var request = request
        if !cookie.isEmpty { request.fields.add("Cookie", cookie) }
        let response = try await transport.send(request, deadline: .seconds(30))
        return (response.status, String(decoding: response.body, as: UTF8.self), response)
    }

    private mutating func take(_ response: TransportResponse) {
        for value in response.fields.all("Set-Cookie") { cookie = String(value.prefix { $0 != ";" }) }
    }
}

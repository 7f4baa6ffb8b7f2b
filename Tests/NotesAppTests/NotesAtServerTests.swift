import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeyTesting
import NotesApp
import Testing

@Suite("The same app, at a development server over real sockets")
struct NotesAtServerTests {
    @Test("A browser signs the person in, and a session that the service has ended leads back to the sign-in")
    func life() async throws {
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: server.issuer, clientID: "dev-native"))
            .transport(.curl())
            .build()
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:4711/callback") { url in
            let answer = try await CurlTransport().send(TransportRequest("GET", url), deadline: .seconds(10))
            return answer.fields["Location"] ?? ""
        }
        _ = try await auth.oauth().signIn(.browser(), asking: browser)
        let notes = try Notes(auth, at: server.issuer + "/resource", over: CurlTransport())
        #expect(await notes.load() == .notes(#"{"hello":"user-ada"}"#))
        server.revoke(subject: "user-ada")
        await #expect(throws: AuthError.self) { try await auth.refresh() }
        #expect(await notes.load() == .signIn)
    }
}

import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool takes over a session whose token names a custom domain, if the profile trusts that issuer")
struct ForeignIssuerTests {
    private static let domain = "https://auth.example.com/auth/v1"

    /// What another client stored of Ada, with a token that names `issuer`.
    private func stored(_ project: Project, issuer: String) async throws -> String {
        let address = project.server.supabaseURL + "/auth/v1/token?grant_type=password"
        var request = TransportRequest("POST", address, fields: ["apikey": Project.key])
        request.fields.add("Content-Type", "application/json")
        request.body = JSON.object(["email": .string(Project.ada), "password": .string(Project.password)]).serialized()
        let body = try await CurlTransport().send(request, deadline: .seconds(20)).body
        var session = try #require(try JSON.parse(body).object)
        var parts = try #require(session["access_token"]?.string).split(separator: ".").map(String.init)
        let padded = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let bytes = try #require(
            Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
        var claims = try #require(try JSON.parse(Array(bytes)).object)
        claims["iss"] = .string(issuer)
        parts[1] = Data(JSON.object(claims).serialized()).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        session["access_token"] = .string(parts.joined(separator: "."))
        return String(decoding: JSON.object(session).serialized(), as: UTF8.self)
    }

    private func issuers(_ project: Project) async throws -> JSON? {
        try await project.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first?[
            "trustedIssuers"]
    }

    @Test("the refusal names the issuer and sends nothing; the command in its hint takes the session over")
    func hint() async throws {
        let project = try Project()
        let session = try await stored(project, issuer: Self.domain)
        let before = project.server.log().count
        let refused = try await project.login("--with-token", input: session)
        #expect(refused.status == 9, "\(refused.errors)")
        #expect(refused.errors.contains("names the issuer \(Self.domain), which is not the project's"))
        #expect(project.server.log().count == before)
        let line = try #require(refused.errors.firstMatch(of: /hint: .+: latchkey (.+)/), "\(refused.errors)").1
        let words = line.split(separator: " ").map(String.init)
        #expect(words.suffix(2) == ["--trust-issuer", Self.domain])
        let taken = try await project.tool.start(words, input: session).wait()
        #expect(taken.output.hasPrefix("Signed in as \(Project.ada) (profile default)."), "\(taken.errors)")
        #expect(try await project.run("token").status == 0)
        // The profile remembers it.
        #expect(try await issuers(project) == [.string(Self.domain)])
        #expect(try await project.run("logout").status == 0)
        let again = try await project.run(
            "login", "--with-token", input: try await stored(project, issuer: Self.domain))
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test("a profile is given issuers, shows them, keeps them with another key, and forgets what is cleared")
    func edit() async throws {
        let project = try Project()
        try await project.signIn()
        #expect(try await issuers(project) == nil)
        let second = "http://127.0.0.1:54321/auth/v1"
        let edited = try await project.run(
            "profiles", "edit", "--trust-issuer", Self.domain, "--trust-issuer", second)
        #expect(edited.status == 0, "\(edited.errors)")
        #expect(try await project.run("profiles", "edit", "--key", Project.key).status == 0)
        #expect(try await issuers(project) == [.string(Self.domain), .string(second)])
        let shown = try await project.run("profiles", "show", "default").output
        #expect(shown.contains(/trusted issuers +https:\/\/auth\.example\.com\/auth\/v1 http/), "\(shown)")
        #expect(try await project.run("profiles", "edit", "--clear", "trust-issuer").status == 0)
        #expect(try await issuers(project) == nil)
        #expect(try await project.run("token").status == 0)
    }

    @Test(
        "an issuer that differs in anything from the trusted one is refused, and nothing is sent",
        arguments: [
            "https://auth.example.org/auth/v1", "https://auth.example.com.evil.test/auth/v1",
            "http://auth.example.com/auth/v1", "https://auth.example.com", "https://auth.example.com/auth/v1/",
            "https://auth.example.com/auth/v2", "https://AUTH.example.com/auth/v1", "https://xyz.supabase.co/auth/v1",
            "https://auth.example.com:444/auth/v1", "https://auth.example.com/auth/v1?x", "https://",
        ])
    func others(_ issuer: String) async throws {
        let project = try Project()
        let session = try await stored(project, issuer: issuer)
        let before = project.server.log().count
        let refused = try await project.login("--with-token", "--trust-issuer", Self.domain, "--json", input: session)
        expect(refused, 9, "untrusted.issuer")
        #expect(project.server.log().count == before)
        #expect(try await project.run("profiles", "--names").output.isEmpty)
        let words = try await project.login("--with-token", input: session)
        // What no profile may trust is not offered.
        let mayBe = !issuer.hasPrefix("http:") && !issuer.contains("?") && issuer != "https://"
        #expect(words.status == 9 && words.errors.contains("--trust-issuer") == mayBe, "\(words.errors)")
    }

    @Test("an address that is no issuer, and a profile of another service, are refused")
    func refusals() async throws {
        let project = try Project()
        try await project.signIn()
        for issuer in ["", "auth.example.com", "http://auth.example.com", "https://a.test?x=1", "https://a.test#x"] {
            for words in [["profiles", "edit"], ["login", "--with-token"]] {
                let result = try await project.tool.start(words + ["--trust-issuer", issuer, "--json"]).wait()
                expect(result, 2, "usage")
            }
        }
        #expect(try await issuers(project) == nil)
        let signedIn = try await SignedIn()
        expect(
            try await signedIn.run("profiles", "edit", "--trust-issuer", Self.domain, "--json"), 8,
            "configuration.unsupported")
        expect(try await signedIn.run("login", "--trust-issuer", Self.domain, "--json"), 2, "usage")
        let clerk = DevServer.Clerk().publishableKey
        expect(try await Tool().run("login", "--clerk", clerk, "--trust-issuer", Self.domain, "--json"), 2, "usage")
    }
}

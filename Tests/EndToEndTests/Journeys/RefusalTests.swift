import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Proofs
import Testing

@Suite("Exit statuses") struct RefusalTests {
    private func expect(_ result: Program.Result, _ status: Int32, _ code: String) {
        #expect(result.status == status, "\(result.output)\n\(result.errors)")
        #expect(result.errorJSON?["code"]?.string == code, "\(result.errors)")
        #expect(result.errorJSON?["message"]?.string?.isEmpty == false)
        #expect(result.output.isEmpty)
    }

    private func replace(_ path: String, _ change: (String) -> String) throws {
        let text = String(decoding: try #require(try SystemFiles().read(path, limit: 1 << 20)), as: UTF8.self)
        try SystemFiles().remove(path)
        try SystemFiles().writeNew(path, Array(change(text).utf8))
    }

    @Test(
        "before any login everything asks for one",
        arguments: ["token", "status", "refresh", "logout", "accounts", "exec x"])
    func neverSignedIn(_ command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let result = try await Tool().start([words[0], "--json"] + words.dropFirst()).wait()
        expect(result, 3, "signInRequired.signedOut")
    }

    @Test("a profile that does not exist is a wrong configuration")
    func unknownProfile() async throws {
        let tool = try Tool()
        expect(try await tool.run("token", "--json", "--profile", "work"), 8, "configuration.invalid")
        expect(
            try await tool.run("token", "--json", environment: ["LATCHKEY_PROFILE": "work"]), 8, "configuration.invalid"
        )
        expect(
            try await tool.run("token", "--json", environment: ["LATCHKEY_PROFILE": "../x"]), 8, "configuration.invalid"
        )
        expect(try await tool.run("profiles", "--json", "--remove", "work"), 8, "configuration.invalid")
    }

    @Test("a login that does not say where is a wrong command line")
    func loginWithoutService() async throws {
        let tool = try Tool()
        expect(try await tool.run("login", "--json"), 2, "usage")
        expect(try await tool.run("login", "--json", "--client-id", "x"), 2, "usage")
    }

    @Test("a service that cannot be reached loses nothing")
    func offline() async throws {
        let signedIn = try await SignedIn()
        signedIn.server.stop()
        expect(try await signedIn.tool.run("refresh", "--json"), 4, "offline.unreachable")
        // The token has not ended, so it is still good.
        #expect(try await signedIn.tool.run("token").line.hasPrefix("dat_"))
        #expect(try await signedIn.tool.run("status").status == 0)
        let logout = try await signedIn.tool.run("logout", "--json")
        #expect(logout.status == 0)
        #expect(logout.json?["result"]?.string == "revocationQueued")
        #expect(try await signedIn.tool.run("token").status == 3)
    }

    @Test("a sign-out that the service was not told of is told by a later command")
    func queuedRevocation() async throws {
        let signedIn = try await SignedIn()
        let owed = { try await signedIn.tool.run("status", "--json").json?["pendingRevocations"]?.integer }
        signedIn.server.inject(DevServer.Fault(.drop, at: .revocation, count: 3))
        #expect(try await signedIn.tool.run("logout", "--json").json?["result"]?.string == "revocationQueued")
        #expect(try await owed() == 1)
        expect(try await signedIn.tool.run("profiles", "--json", "--remove", "default"), 8, "configuration.invalid")
        signedIn.server.clear()
        #expect(try await signedIn.tool.run("logout").status == 0)
        #expect(try await owed() == 0)
        #expect(signedIn.server.log().contains { $0.endpoint == .revocation && $0.outcome == "ok" })
        #expect(try await signedIn.tool.run("profiles", "--remove", "default").status == 0)
        #expect(try await signedIn.tool.run("profiles", "--names").output.isEmpty)
    }

    @Test("a login at a service that is not there can be tried later")
    func loginOffline() async throws {
        let server = try Service.start()
        server.stop()
        let result = try await Tool().run(
            "login", "--json", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser")
        expect(result, 4, "offline.signIn")
    }

    @Test(
        "a service with trouble of its own can be tried later",
        arguments: [DevServer.Fault.Kind.drop, .status, .retryAfter, .html])
    func serviceTrouble(_ kind: DevServer.Fault.Kind) async throws {
        let signedIn = try await SignedIn()
        signedIn.server.inject(DevServer.Fault(kind, at: .token, status: kind == .status ? 503 : nil, seconds: 7))
        let result = try await signedIn.tool.run("refresh", "--json")
        #expect(result.status == 4, "\(result.output)\(result.errors)")
        #expect(result.errorJSON?["recovery"]?.string == "retryLater")
        if kind == .retryAfter { #expect(result.errorJSON?["retryAfterSeconds"]?.integer == 7) }
    }

    @Test("a record that cannot be read, or that others can, is reported and left as it is", .law(8))
    func store() async throws {
        let tool = try await SignedIn()
        let record = try #require(
            FilesBelow.list(tool.data).first { $0.contains("/credential-") && $0.hasSuffix(".record") })
        tool.folder.setMode(record, 0o644)
        expect(try await tool.run("token", "--json"), 7, "store.insecurePermissions")
        expect(try await tool.run("status", "--json"), 7, "store.insecurePermissions")
        tool.folder.setMode(record, 0o600)
        #expect(try await tool.run("token").status == 0)
        try replace(record) { String($0.dropLast(20)) }
        expect(try await tool.run("token", "--json"), 7, "store.damaged")
        #expect(FilesBelow.list(tool.data).contains(record))
    }

    @Test("another issuer or client than the one signed in with is not sent anything", .law(11), .standard(5))
    func changed() async throws {
        let signedIn = try await SignedIn()
        let tool = signedIn.tool
        let other = try Service.start()
        let path = "\(tool.configuration)/latchkey/profiles/default.json"
        try replace(path) { $0.replacing("dev-native", with: "dev-device") }
        expect(try await tool.run("token", "--json"), 8, "configuration.changed")
        try replace(path) {
            $0.replacing("dev-device", with: "dev-native").replacing(signedIn.server.issuer, with: other.issuer)
        }
        expect(try await tool.run("token", "--json"), 8, "configuration.changed")
        #expect(other.log().isEmpty)
    }

    @Test("a login does not take a profile from the service that is signed in with it")
    func takenProfile() async throws {
        let signedIn = try await SignedIn()
        let other = try Service.start()
        let result = try await signedIn.tool.run(
            "login", "--json", "--issuer", other.issuer, "--client-id", "dev-native", "--no-browser")
        expect(result, 8, "configuration.changed")
        #expect(try await signedIn.tool.run("token").status == 0)
        expect(try await signedIn.tool.run("profiles", "--json", "--remove", "default"), 8, "configuration.invalid")
    }

    @Test("a session that the service has ended asks for a login")
    func revoked() async throws {
        let signedIn = try await SignedIn()
        signedIn.server.revoke(subject: "user-ada")
        expect(try await signedIn.tool.run("refresh", "--json"), 3, "signInRequired.refused")
        expect(try await signedIn.tool.run("token", "--json"), 3, "signInRequired.refused")
        let status = try await signedIn.tool.run("status", "--json")
        #expect(status.status == 3)
        #expect(status.json?["state"]?.string == "signInRequired.refused")
    }

    @Test("a person's no at the service ends with 6, another's answer with 9")
    func redirects() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        for (change, status) in [("error=access_denied", Int32(6)), ("code=x&iss=https://evil.example", 9)] {
            let child = try tool.start(
                ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser"])
            let address = try await Browser().destination(
                of: try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
            let state = try #require(address.firstMatch(of: /state=([^&]+)/)).1
            let issuer = change.contains("iss=") ? "" : "&iss=\(server.issuer)"
            _ = try await Browser().open("\(address.prefix { $0 != "?" })?\(change)&state=\(state)\(issuer)")
            let result = try await child.wait()
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains("hint: "))
        }
    }

    @Test("output that cannot be written is an error")
    func fullDisk() async throws {
        guard (try? SystemFiles().status("/dev/full")) != nil else { return }
        let shell = Program("/bin/sh")
        let result = try await shell.run(["-c", #"exec "$0" help > /dev/full"#, try Tool().path])
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("latchkey: The output cannot be written\n"))
    }

    @Test("a reader that went away ends it in silence")
    func brokenPipe() async throws {
        let script = #"""
            { until [ -e "$1/closed" ]; do :; done; "$0" help; echo $? > "$1/status"; } |
            { exec 0<&-; : > "$1/closed"; until [ -s "$1/status" ]; do sleep 0.01; done; }
            cat "$1/status"
            """#
        let tool = try Tool()
        let result = try await Program("/bin/sh").run(["-c", script, tool.path, tool.folder.path])
        #expect(result.output == "141\n")
        #expect(result.errors.isEmpty)
    }
}

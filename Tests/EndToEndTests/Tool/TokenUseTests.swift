import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("Tokens for programs") struct TokenUseTests {
    @Test("a token that cannot last as long as asked is printed with a word, and with --strict not at all")
    func strict() async throws {
        let scene = try await SignedIn { $0.accessTokenLifetime = 300 }
        let loose = try await scene.run("token", "--min-validity", "1h")
        #expect(loose.status == 0 && !loose.line.isEmpty)
        #expect(loose.errors.contains("less than 1h: this service's tokens last 5m"), "\(loose.errors)")
        let strict = try await scene.run("token", "--min-validity", "1h", "--strict")
        #expect(strict.status == 8 && strict.output.isEmpty)
        let enough = try await scene.run("token", "--min-validity", "1m", "--strict")
        #expect(enough.status == 0 && enough.errors.isEmpty)
    }

    @Test("a program finds the token's end and scopes beside it, and no stale ones; without a program it is a shell")
    func environment() async throws {
        let scene = try await SignedIn()
        let shown = try await scene.run(
            "exec", "--", "/bin/sh", "-c", "echo $LATCHKEY_ACCESS_TOKEN_EXPIRES_AT; echo $LATCHKEY_ACCESS_TOKEN_SCOPES",
            environment: ["LATCHKEY_ACCESS_TOKEN_EXPIRES_AT": "1970-01-01T00:00:00Z"])
        let lines = shown.output.split(separator: "\n")
        #expect(try Date(String(lines[0]), strategy: .iso8601) > .now)
        #expect(lines[1].contains("openid"))
        let shell = try await scene.run(
            "exec", environment: ["SHELL": "/bin/sh"],
            input: "test -n \"$LATCHKEY_ACCESS_TOKEN\" && echo here; exit 5\n")
        #expect(shell.status == 5 && shell.output == "here\n")
    }

    @Test("a program that cannot be run is named, with the reason in words")
    func named() async throws {
        let scene = try await SignedIn()
        let missing = try await scene.run("exec", "--", "no-such-program")
        #expect(missing.status == 127 && missing.errors.contains("The program \"no-such-program\" was not found"))
        let refused = try await scene.run("exec", "--", "/etc/passwd")
        #expect(refused.status == 126 && refused.errors.contains("\"/etc/passwd\" cannot be run: not allowed"))
    }

    @Test("git gets a token for an allowed host alone: as a bearer token where it can, else as a password")
    func git() async throws {
        let scene = try await SignedIn(
            { _ in }, "--allow-origin", "https://git.example:8443")
        let token = try await scene.run("token").line
        let request = "protocol=https\nhost=git.example:8443\npath=a.git\n\n"
        let old = try await scene.run("credential", "git", "get", input: request)
        #expect(old.output.hasPrefix("username=x-access-token\npassword=\(token)\npassword_expiry_utc="))
        let new = try await scene.run("credential", "git", "get", input: "capability[]=authtype\n" + request)
        #expect(new.output.contains("authtype=Bearer\ncredential=\(token)\n"))
        for other in ["https\nhost=git.example", "http\nhost=git.example:8443", "https\nhost=git.example:8443@evil"] {
            let refused = try await scene.run("credential", "git", "get", input: "protocol=\(other)\n\n")
            #expect(refused.status == 0 && refused.output.isEmpty && !refused.errors.contains(token))
        }
        #expect(try await scene.run("credential", "git", "get", input: "nonsense").status == 2)
    }

    @Test("git itself takes the token from the helper")
    func realGit() async throws {
        guard let git = Program.onPath("git") else {
            print("skipped: there is no git program")
            return
        }
        let scene = try await SignedIn({ _ in }, "--allow-origin", "https://git.example")
        let token = try await scene.run("token").line
        var environment = scene.tool.variables()
        environment["GIT_CONFIG_NOSYSTEM"] = "1"
        environment["GIT_TERMINAL_PROMPT"] = "0"
        let filled = try await Program(git).run(
            ["-c", "credential.helper=!\(scene.tool.path) credential git", "credential", "fill"],
            environment: environment, input: "protocol=https\nhost=git.example\n\n")
        #expect(filled.status == 0 && filled.output.contains("password=\(token)\n"), "\(filled.errors)")
    }

    @Test(
        "kubectl gets the object of the version that it asks for",
        arguments: [
            ("", "client.authentication.k8s.io/v1"),
            (#"{"apiVersion":"client.authentication.k8s.io/v1beta1"}"#, "client.authentication.k8s.io/v1beta1"),
            (#"{"apiVersion":"evil/v1"}"#, "client.authentication.k8s.io/v1"), ("{", "client.authentication.k8s.io/v1"),
        ])
    func kubectl(asked: String, version: String) async throws {
        let scene = try await SignedIn()
        let result = try await scene.run("credential", "kubectl", environment: ["KUBERNETES_EXEC_INFO": asked])
        #expect(result.json?["apiVersion"]?.string == version && result.json?["kind"]?.string == "ExecCredential")
        let status = result.json?["status"]
        let token = try await scene.run("token").line
        #expect(!token.isEmpty && status?["token"]?.string == token)
        #expect(status?["expirationTimestamp"]?.string?.hasSuffix("Z") == true)
    }

    @Test("with --id kubectl gets the ID token and its end; no other format takes that option")
    func kubectlIdentity() async throws {
        let scene = try await SignedIn()
        let status = try await scene.run("credential", "kubectl", "--id").json?["status"]
        let token = try await scene.run("token", "--id", "--json").json
        #expect(token?["token"]?.string?.isEmpty == false && status?["token"]?.string == token?["token"]?.string)
        #expect(status?["expirationTimestamp"]?.string == token?["expiresAt"]?.string)
        #expect(try await scene.run("token").line != status?["token"]?.string)
        for (format, request) in [("git", "get"), ("aws", "any")] {
            let refused = try await scene.run("credential", format, request, "--id")
            #expect(refused.status == 2 && refused.output.isEmpty && refused.errors.contains("--id goes with kubectl"))
        }
    }

    @Test("--verbose tells of each request and answer, and of no secret in them")
    func verbose() async throws {
        let scene = try await SignedIn()
        let refreshed = try await scene.run("refresh", "--verbose")
        #expect(refreshed.errors.contains("> POST \(scene.server.issuer)/token form("), "\(refreshed.errors)")
        #expect(refreshed.errors.contains("grant_type=refresh_token"))
        #expect(refreshed.errors.contains("< 200 (") && refreshed.errors.contains("access_token"))
        let request = try await scene.run(
            "request", "\(scene.server.issuer)/resource?secret=marked", "--allow-origin", scene.server.issuer,
            "--verbose")
        #expect(request.errors.contains("[Authorization: Bearer …]") && request.errors.contains("?(secret)"))
        let secrets = FilesBelow.content(scene.data).matches(of: /[A-Za-z0-9_\-.]{20,}/).map { String($0.output) }
        #expect(secrets.count > 3)
        for secret in secrets + ["marked", try await scene.run("token").line] {
            #expect(!refreshed.errors.contains(secret) && !request.errors.contains(secret), "\(secret.prefix(4))")
        }
    }
}

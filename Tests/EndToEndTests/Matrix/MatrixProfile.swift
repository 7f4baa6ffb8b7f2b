import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

/// A tool with one profile, of each kind that there is.
struct MatrixProfile {
    enum Kind: String, CaseIterable { case browser, device, service, supabase, clerk }

    enum State: String, CaseIterable { case signedIn, ended, locked, signedOut }

    static let passphrase = "correct horse battery staple"

    let kind: Kind
    let tool: Tool
    let server: DevServer

    /// A person, or a program, that has just signed in.
    init(_ kind: Kind, beside other: MatrixProfile? = nil) async throws {
        self.kind = kind
        tool = try Tool()
        server = try other?.server ?? Service.start()
        let (words, input) = try login()
        let result = try await run(words, input: input)
        try #require(result.status == 0, "\(kind): \(result.errors)")
    }

    /// The command line of the first login, and what is typed.
    private func login() throws -> ([String], input: String) {
        let oauth = ["login", "--issuer", server.issuer, "--client-id"]
        switch kind {
        case .browser: return (oauth + ["dev-native"], "")
        case .device: return (oauth + ["dev-device", "--device"], "")
        case .service:
            let path = "\(tool.folder.path)/secret"
            try SystemFiles().writeNew(path, Array("dev+secret/100%".utf8))
            return (oauth + ["dev-service", "--client-credentials", "--client-secret-file", path], "")
        case .supabase:
            let words = ["login", "--supabase", server.supabaseURL, "--key", Project.key]
            return (words + ["--account", Project.ada, "--password-from-stdin"], "\(Project.password)\n")
        case .clerk:
            let words = ["login", "--clerk", DevServer.Clerk().publishableKey, "--proxy-url", server.clerkURL]
            return (words + ["--account", "ada+clerk_test@example.test", "--password-from-stdin"], "ada-password\n")
        }
    }

    /// Runs a command. A browser that it opens agrees at once.
    func run(_ words: [String], input: String = "") async throws -> Program.Result {
        let browser = ["BROWSER": "curl --silent --location --noproxy * --output /dev/null"]
        return try await tool.start(words, environment: browser, input: input).wait()
    }

    /// Whether there is such a state: a program that signs itself in is never told that its session has ended.
    static func has(_ state: State, _ kind: Kind) -> Bool { state != .ended || kind != .service }

    /// Brings the profile into `state`.
    func enter(_ state: State) async throws {
        switch state {
        case .signedIn: break
        case .signedOut: try #require(try await run(["logout"]).status == 0)
        case .locked:
            let words = ["store", "migrate", "--to", "encrypted", "--passphrase-from-stdin"]
            let moved = try await run(words, input: "\(Self.passphrase)\n")
            try #require(moved.status == 0, "\(kind): \(moved.errors)")
        case .ended:
            if kind.isOAuth {
                server.revoke(subject: "user-ada")
            } else {
                let elsewhere = try await MatrixProfile(kind, beside: self)
                try #require(try await elsewhere.run(["logout", "--everywhere"]).status == 0)
            }
            let refresh = try await run(["refresh"])
            try #require(refresh.status == 3, "\(kind): \(refresh.errors)")
        }
    }

    /// The name of the account.
    var account: String {
        switch kind {
        case .browser, .device, .supabase: "ada@example.test"
        case .service: "dev-service"
        case .clerk: "ada+clerk_test@example.test"
        }
    }
}

extension MatrixProfile.Kind {
    var isOAuth: Bool { self == .browser || self == .device || self == .service }
}

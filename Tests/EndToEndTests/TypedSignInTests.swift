import Foundation
import Latchkey
import LatchkeyClerk
import LatchkeyCognito
import LatchkeyOAuth
import LatchkeySupabase
import Testing

@Suite("Signing in by a provider's handle") struct TypedSignInTests {
    /// What no provider of that type can do, and what the compiler says.
    private static let wrong = [
        ("try await auth.oauth().signIn(.password(identifier: \"ada\", secret), asking: person)", "password"),
        ("try await auth.supabase().signIn(.clientCredentials)", "clientCredentials"),
        ("try await auth.clerk().signIn(.device, asking: person)", "device"),
        ("try await auth.cognito().signIn(.browser(), asking: person)", "browser"),
        ("try await auth.oauth().converse(.signUp(SignUpForm(identifier: \"ada\")), asking: person)", "signUp"),
    ]

    private static let right = [
        "try await auth.oauth().signIn(.device, asking: person)",
        "try await auth.oauth(\"work\").signIn(.clientCredentials)",
        "try await auth.supabase().signIn(.anonymous)",
        "_ = try await auth.clerk().begin(.enterprise(address: \"mae@corp.example\"))",
        "try await auth.cognito().converse(.recover(identifier: \"ada\"), asking: person)",
    ]

    /// The compiler's errors about a function of these lines, each with its line, counted from 0.
    private func errors(in lines: [String]) async throws -> [(line: Int, text: String)] {
        let folder = TemporaryFolder()
        let start = [
            "import Latchkey", "import LatchkeyClerk", "import LatchkeyCognito", "import LatchkeyOAuth",
            "import LatchkeySupabase",
            "func tried(_ auth: AuthClient, _ person: some ChallengePresenter, _ secret: Secret) async throws {",
        ]
        let source = "\(folder.path)/Tried.swift"
        try (start + lines + ["}", ""]).joined(separator: "\n").write(toFile: source, atomically: true, encoding: .utf8)
        let tests = CommandLine.arguments.first ?? ""
        let built = String(tests.prefix(upTo: tests.lastIndex(of: "/") ?? tests.startIndex))
        // Modules of C are needed to load those of Swift that import them.
        let ours = try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/Sources/CModules")
            .map { "\(Repository.root)/Sources/CModules/\($0)/module.modulemap" }
        let made = try FileManager.default.contentsOfDirectory(atPath: built).filter { $0.hasPrefix("C") }
            .map { "\(built)/\($0)/module.modulemap" }
        let maps = (ours + made).filter(FileManager.default.fileExists(atPath:)).flatMap {
            ["-Xcc", "-fmodule-map-file=\($0)"]
        }
        let compiler = try #require(Program.onPath("swiftc"), "swiftc is not on the path")
        let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path]
        let words = ["-typecheck", "-swift-version", "6", "-module-cache-path", "\(folder.path)/cache"]
        let told = try await Program(compiler).run(
            words + ["-I", "\(built)/Modules"] + maps + [source], environment: environment)
        let found = told.errors.matches(of: /Tried\.swift:(\d+):\d+: error: (.*)/).map {
            ((Int($0.1) ?? 0) - start.count - 1, String($0.2))
        }
        // An error elsewhere would say nothing about these lines.
        try #require(told.status == (found.isEmpty ? 0 : 1), "\(told.errors)")
        return found
    }

    @Test("a request that the provider cannot do does not compile")
    func refused() async throws {
        let found = try await errors(in: Self.wrong.map(\.0))
        print("wrong requests: \(Self.wrong.count), refused by the compiler: \(Set(found.map(\.line)).count)")
        for (line, (source, word)) in Self.wrong.enumerated() {
            #expect(found.contains { $0.line == line && $0.text.contains("'\(word)") }, "\(source): \(found)")
        }
    }

    @Test("what it can do does")
    func accepted() async throws {
        let found = try await errors(in: Self.right)
        #expect(found.isEmpty, "\(found)")
    }

    @Test("each provider's own requests are those of its rules")
    func complete() {
        let secret = Secret("x")
        func kinds<Provider>(_ methods: [ProviderMethod<Provider>]) -> Set<SignInMethod.Kind> {
            Set(methods.map(\.method.kind))
        }
        let person = OAuthProvider(issuer: "https://id.example", clientID: "c").rules.methods
        // A refresh token of another program was passed as a ticket once; it has a name of its own.
        #expect(
            kinds([ProviderMethod<OAuthProvider>.browser(), .device, .refreshToken(secret)])
                == person.subtracting([.ticket]))
        let project = SupabaseProvider.supabase(
            projectURL: "https://abc.supabase.co", publishableKey: "sb_publishable_x")
        #expect(
            kinds([
                ProviderMethod<SupabaseProvider>.password(identifier: "a", secret), .code(identifier: "a", over: .mail),
                .link(identifier: "a"), .browser(connection: "github"), .enterprise(domain: "a.example"),
                .idToken(secret, issuer: "a"), .ticket(secret), .refreshToken(secret), .passkey,
                .wallet(chain: "ethereum"), .anonymous,
            ]) == project.rules.methods)
        let instance: ClerkProvider = .clerk(publishableKey: "pk_test_ZXhhbXBsZS5hY2NvdW50cy5kZXYk")
        #expect(
            kinds([
                ProviderMethod<ClerkProvider>.password(identifier: "a", secret), .code(identifier: "a", over: .mail),
                .link(identifier: "a"), .browser(connection: "github"), .enterprise(address: "a@a.example"),
                .idToken(secret, issuer: "a"), .ticket(secret), .passkey, .deviceToken(secret),
            ]) == instance.rules.methods)
        let pool = CognitoProvider.cognito(userPool: "eu-west-1_Abc123", clientID: "c")
        #expect(
            kinds([
                ProviderMethod<CognitoProvider>.password(identifier: "a", secret), .code(identifier: "a", over: .mail),
            ]) == pool.rules.methods.subtracting([.custom]))
    }
}

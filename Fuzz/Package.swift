// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// What Scripts/verify fuzz builds and runs. It is a separate package because it links libFuzzer and uses internal
// API, so it builds only with `-sanitize=fuzzer,address -enable-testing`. `Targets` is also compiled into the tests
// of Latchkey, which run every file of `Corpus` once.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "latchkey", path: "..")],
    targets: [
        .executableTarget(
            name: "latchkey-fuzz",
            dependencies: [
                "Latchkey", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeyOAuthCore", "LatchkeyOAuth", "LatchkeySupabase",
                "LatchkeyFileStore", "LatchkeyEncryptedStore", "LatchkeyAgent", "LatchkeyPassphrase",
                "LatchkeyPluginKit",
                "LatchkeyCurl", "LatchkeyAuditLog", "LatchkeyLoopback",
            ].map { .product(name: $0, package: "latchkey") },
            path: ".", exclude: ["Corpus", "Dictionaries", "Replay", "README.md"], sources: ["Targets", "Program"],
            swiftSettings: settings)
    ],
    swiftLanguageModes: [.v6]
)

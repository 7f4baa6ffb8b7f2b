// swift-tools-version: 6.2
import PackageDescription

let latchkey: (String) -> Target.Dependency = { .product(name: $0, package: "latchkey") }
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

// What Scripts/bench builds and runs. It is a separate package, so that users of Latchkey do not build it, and so
// that it can reach everything only as an app does: by the public API.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "latchkey", path: "..")],
    targets: [
        // The references, and the counter of allocations, in C, so that Swift does not slow them down.
        .target(name: "CBench", linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("crypto")]),
        .executableTarget(
            name: "latchkey-bench",
            dependencies: [
                "CBench", latchkey("Latchkey"), latchkey("LatchkeyOAuthCore"), latchkey("LatchkeyCrypto"),
                latchkey("LatchkeyJSON"), latchkey("LatchkeyCurl"), latchkey("LatchkeyFileStore"),
                latchkey("LatchkeyEncryptedStore"), latchkey("LatchkeyOAuth"),
                latchkey("LatchkeySupabase"), latchkey("LatchkeyTesting"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "latchkey-bench-empty",
            dependencies: [
                "Latchkey", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeyOAuthCore", "LatchkeyOAuth",
                "LatchkeyFileStore", "LatchkeyCurl", "LatchkeyTerminal", "LatchkeyLoopback", "LatchkeyDevServer",
            ].map(latchkey),
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

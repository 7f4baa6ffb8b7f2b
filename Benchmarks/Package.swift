// swift-tools-version: 6.2
import PackageDescription

let latchkey: (String) -> Target.Dependency = { .product(name: $0, package: "latchkey") }
let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

// What Scripts/bench builds and runs. A package of its own, so that nobody who uses Latchkey builds it, and so that
// everything measured is reached as an app reaches it: by the public API.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "latchkey", path: "..")],
    targets: [
        // The references, and the counting of allocations, in C: nothing of Swift's slows them down.
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

// swift-tools-version: 6.2
import PackageDescription

// A package that uses Latchkey as anybody would: by its products and its public API alone.
let package = Package(
    name: "consumer",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "latchkey", path: "../..")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"),
                .product(name: "LatchkeyOAuth", package: "latchkey"),
            ]),
        .executableTarget(
            name: "SupabaseConsumer",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"),
                .product(name: "LatchkeySupabase", package: "latchkey"),
            ]),
        .executableTarget(
            name: "TopLevel", dependencies: [.product(name: "LatchkeyCLI", package: "latchkey")]),
        .target(
            name: "OutsiderStore",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyJSON", package: "latchkey"),
            ]),
        .target(
            name: "OutsiderProvider",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyJSON", package: "latchkey"),
            ]),
        .target(
            name: "OutsiderUnlock",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyJSON", package: "latchkey"),
                .product(name: "LatchkeyCrypto", package: "latchkey"),
            ]),
        .target(
            name: "OutsiderHarbour",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyJSON", package: "latchkey"),
                .product(name: "LatchkeyCrypto", package: "latchkey"),
            ]),
        .target(
            name: "OutsiderLogbook",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyJSON", package: "latchkey"),
                .product(name: "LatchkeyCrypto", package: "latchkey"),
            ]),
        .target(name: "OutsiderFerry", dependencies: [.product(name: "Latchkey", package: "latchkey")]),
        .target(name: "OutsiderWicket", dependencies: [.product(name: "Latchkey", package: "latchkey")]),
        .target(
            name: "OutsiderGazette",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyJSON", package: "latchkey"),
            ]),
        // What the plugins are put through: by the tests, and with mistakes in them by `Scripts/verify mutants --plugins`.
        .target(
            name: "OutsiderTrials",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyJSON", package: "latchkey"),
                .product(name: "LatchkeyCrypto", package: "latchkey"),
                .product(name: "LatchkeyTesting", package: "latchkey"),
            ]),
        .testTarget(
            name: "OutsiderTests",
            dependencies: [
                "OutsiderStore", "OutsiderProvider", "OutsiderUnlock", "OutsiderHarbour", "OutsiderLogbook",
                "OutsiderFerry", "OutsiderWicket", "OutsiderGazette", "OutsiderTrials",
                .product(name: "Latchkey", package: "latchkey"),
                .product(name: "LatchkeyTesting", package: "latchkey"),
            ], exclude: ["Recorded"]),
    ]
)

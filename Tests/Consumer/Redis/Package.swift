// swift-tools-version: 6.2
import PackageDescription

// A store behind a network, as a package of its own: by Latchkey's products and its public API alone.
let package = Package(
    name: "redis-store",
    platforms: [.macOS(.v15)],
    products: [.library(name: "RedisStore", targets: ["RedisStore"])],
    dependencies: [.package(name: "latchkey", path: "../../..")],
    targets: [
        .systemLibrary(name: "CHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"])]),
        .target(name: "RedisStore", dependencies: ["CHiredis", .product(name: "Latchkey", package: "latchkey")]),
        // A redis-server for tests.
        .target(
            name: "RedisServing",
            dependencies: [
                .product(name: "Latchkey", package: "latchkey"), .product(name: "LatchkeyTesting", package: "latchkey"),
            ]),
        // What the store is put through at a real redis-server; see `Scripts/verify far`.
        .executableTarget(
            name: "RedisTrial",
            dependencies: [
                "RedisStore", "RedisServing", .product(name: "Latchkey", package: "latchkey"),
                .product(name: "LatchkeyTesting", package: "latchkey"),
            ]),
        .testTarget(
            name: "RedisStoreTests",
            dependencies: [
                "RedisStore", "RedisServing", .product(name: "Latchkey", package: "latchkey"),
                .product(name: "LatchkeyTesting", package: "latchkey"),
            ]),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

// With LATCHKEY_BRIDGE_STUBS=1, the bridges are built against the declarations in Stubs/, so that they can be compiled
// and tested without a network. Otherwise against the real packages.
let usesStubs = Context.environment["LATCHKEY_BRIDGE_STUBS"] == "1"

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The foreign packages, which are fetched only without stubs.
let foreign: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.1.0"),
]

/// A foreign module.
func module(_ name: String, of package: String) -> Target.Dependency {
    usesStubs ? .target(name: name) : .product(name: name, package: package)
}

/// The declarations of a foreign module.
func stub(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Stubs/\(name)", swiftSettings: settings)
}

/// A product of this repository's own package.
func latchkey(_ name: String) -> Target.Dependency { .product(name: name, package: "latchkey") }

/// A bridge to a foreign module, and its tests.
func bridge(
    _ name: String, to foreign: Target.Dependency, _ own: [Target.Dependency] = [], tests: [Target.Dependency] = []
) -> [Target] {
    let own = [latchkey("Latchkey")] + own
    return [
        .target(name: name, dependencies: own + [foreign], swiftSettings: settings),
        .testTarget(
            name: "\(name)Tests",
            dependencies: own + tests + [
                .target(name: name), foreign, "BridgeSamples", latchkey("LatchkeyTesting"), latchkey("LatchkeyJSON"),
            ], swiftSettings: settings),
    ]
}

let stubs =
    [
        stub("Logging"), stub("CoreMetrics"), stub("Metrics", ["CoreMetrics"]), stub("ServiceContextModule"),
        stub("Instrumentation", ["ServiceContextModule"]),
        stub("Tracing", ["Instrumentation", "ServiceContextModule"]),
    ]

/// What the tests of all bridges observe.
let samples = Target.target(
    name: "BridgeSamples",
    dependencies: [latchkey("Latchkey"), latchkey("LatchkeyTesting")], path: "Tests/BridgeSamples",
    swiftSettings: settings)

let package = Package(
    name: "latchkey-bridges",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: ["LatchkeySwiftLog", "LatchkeySwiftMetrics", "LatchkeyTracing"].map {
        .library(name: $0, targets: [$0])
    },
    dependencies: [.package(name: "latchkey", path: "../..")] + (usesStubs ? [] : foreign),
    targets: (usesStubs ? stubs : []) + [samples]
        + bridge("LatchkeySwiftLog", to: module("Logging", of: "swift-log"), tests: [latchkey("LatchkeyLog")])
        + bridge("LatchkeySwiftMetrics", to: module("Metrics", of: "swift-metrics"), [latchkey("LatchkeyMetrics")])
        + bridge("LatchkeyTracing", to: module("Tracing", of: "swift-distributed-tracing")),
    swiftLanguageModes: [.v6]
)

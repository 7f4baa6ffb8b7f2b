// swift-tools-version: 6.2
import PackageDescription

/// What every target of this package compiles with: Swift 6, no warnings, written-out existentials and imports.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A C library of the base set. Without `pkgConfig:`, so that a consumer who does not use it sees no warning.
func cModule(_ name: String) -> Target { .systemLibrary(name: name, path: "Sources/CModules/\(name)") }

/// C of our own.
func cTarget(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/CModules/\(name)")
}

/// A library under `Sources/` and its tests.
func library(_ name: String, _ dependencies: [Target.Dependency] = [], tests: [Target.Dependency] = []) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, swiftSettings: settings),
        testTarget(for: name, dependencies + tests),
    ]
}

/// A plugin module and its tests. SwiftPM keeps `Plugins/` for build-tool plugins, so the path is spelled out.
func plugin(
    _ name: String, in family: String, _ dependencies: [Target.Dependency] = [], tests: [Target.Dependency] = []
) -> [Target] {
    let dependencies = ["Latchkey"] + dependencies
    return [
        .target(
            name: name, dependencies: dependencies, path: "Plugins/\(family)/\(name)", swiftSettings: settings),
        testTarget(for: name, dependencies + ["LatchkeyTesting"] + tests),
    ]
}

/// Folders of test data, read by path.
let testData = [
    "LatchkeyCrypto": ["Vectors"], "LatchkeyOAuthCore": ["Vectors"], "LatchkeyOAuth": ["Recorded"],
    "LatchkeyCognito": ["Recorded"], "LatchkeyEncryptedStore": ["Vectors", "Reader"],
    "LatchkeySecretService": ["control.py"], "LatchkeyClerk": ["Specified"],
    // Scripts/new adds test data above this line.
]

func testTarget(for name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name), "TaskSettling", "Proofs"] + dependencies,
        exclude: testData[name] ?? [],
        swiftSettings: settings)
}

/// A program under `Examples/`.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: settings)
}

/// A program that only tests start, under `Tests/Programs/`.
func testProgram(
    _ name: String, in folder: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Programs/\(folder)", exclude: exclude,
        swiftSettings: settings)
}

/// A library that several tests or their programs share, under `Tests/Shared/`.
func testLibrary(
    _ name: String, in folder: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/Shared/\(folder)", exclude: exclude,
        swiftSettings: settings)
}

let cModules =
    ["CJansson", "CSocketOwner", "CAccessList", "CSpawn", "CKeyring", "CSQLite", "CFlag"].map(cModule)
    // C libraries that are loaded when they are first used, because most programs start without needing them.
    + [cTarget("CLibrary")]
    + ["CCurl", "CMicrohttpd", "COpenSSL", "CQrencode", "CZlib"].map {
        cTarget($0, ["CLibrary"])
    }
    // A further C library each, for whoever asks for it by its trait.
    + [
        .systemLibrary(
            name: "CLibsecret", path: "Sources/CModules/CLibsecret", pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]),
        cTarget("CSecret", ["CLibrary", .target(name: "CLibsecret", condition: .when(traits: ["SecretService"]))]),
    ]
    // The only C of our own: what Swift cannot promise to do safely (in a signal handler, or on a thread that is told
    // to stop), and a checksum.
    + ["CTerminal", "CProcess", "CAgentSocket", "CWipingHeap", "CChecksum", "CLockWait"].map { cTarget($0) }

let libraries =
    [.target(name: "LatchkeySystem", dependencies: ["CFlag"], swiftSettings: settings)]
    + library("LatchkeyJSON", [.target(name: "CJansson", condition: .when(platforms: [.linux]))])
    + library("LatchkeyCrypto", ["LatchkeySystem", "COpenSSL", "CChecksum"], tests: ["LatchkeyJSON"])
    + library(
        "Latchkey",
        [
            "LatchkeyJSON", "LatchkeySystem", .target(name: "CLockWait", condition: .when(platforms: [.linux])),
            .target(name: "CAccessList", condition: .when(platforms: [.linux])),
        ],
        tests: ["LatchkeyTesting"])
    + library("LatchkeyOAuthCore", ["Latchkey", "LatchkeyJSON", "LatchkeyCrypto"], tests: ["LatchkeyTesting"])
    + library(
        "LatchkeyTesting", ["Latchkey", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeySystem"],
        tests: ["LatchkeyCurl", "LatchkeyFileStore", "FolderStores", "store-member"])
    + library("LatchkeyPluginKit", ["Latchkey", "LatchkeyJSON", "LatchkeySystem"], tests: ["LatchkeyTesting"])
    + library("LatchkeyModel", ["Latchkey", "LatchkeyJSON"], tests: ["LatchkeyTesting"])
    + library(
        "LatchkeyHTTPServer", ["LatchkeySystem", "CMicrohttpd"], tests: ["Latchkey", "LatchkeyTesting"])

let plugins =
    plugin(
        "LatchkeyOAuth", in: "Providers",
        ["LatchkeyOAuthCore", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeySystem"],
        tests: ["LatchkeyDevServer", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyLog", "LatchkeyLoopback"])
    + plugin(
        "LatchkeySupabase", in: "Providers",
        ["LatchkeyOAuthCore", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeySystem"],
        tests: ["LatchkeyDevServer", "LatchkeyCurl", "LatchkeyFileStore", "RecordedGoTrue", "SupabaseWalks"])
    + plugin(
        "LatchkeySupabaseAdmin", in: "Providers",
        ["LatchkeySupabase", "LatchkeyOAuthCore", "LatchkeyJSON", "LatchkeySystem"],
        tests: ["LatchkeyCrypto", "LatchkeyDevServer", "LatchkeyCurl", "RecordedGoTrue"])
    + plugin(
        "LatchkeyCognito", in: "Providers",
        ["LatchkeyPluginKit", "LatchkeyOAuthCore", "LatchkeyJSON", "LatchkeyCrypto"])
    + plugin(
        "LatchkeyClerk", in: "Providers",
        ["LatchkeyPluginKit", "LatchkeyOAuthCore", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeySystem"],
        tests: ["LatchkeyDevServer", "LatchkeyCurl", "ClerkWalks"])
    + plugin(
        "LatchkeyFileStore", in: "Stores", ["LatchkeyPluginKit", "LatchkeyCrypto", "LatchkeyJSON", "LatchkeySystem"])
    + plugin(
        "LatchkeyPartitionedStore", in: "Stores", ["LatchkeyCrypto", "LatchkeySystem"], tests: ["LatchkeyFileStore"])
    + plugin(
        "LatchkeyEncryptedStore", in: "Stores", ["LatchkeyPluginKit", "LatchkeyCrypto", "LatchkeySystem"],
        tests: ["LatchkeyFileStore", "LatchkeyAuditLog", "LatchkeyJSON", "store-member"])
    + plugin(
        "LatchkeyKernelKeyring", in: "Keys",
        ["LatchkeyCrypto", .target(name: "CKeyring", condition: .when(platforms: [.linux]))])
    + plugin(
        "LatchkeySecretService", in: "Stores",
        [
            "LatchkeyPluginKit", "LatchkeyCrypto", "LatchkeySystem",
            .target(name: "CSecret", condition: .when(traits: ["SecretService"])),
        ], tests: ["keyring-member"])
    + plugin(
        "LatchkeyPassphrase", in: "Unlock", ["LatchkeyPluginKit", "LatchkeyCrypto", "LatchkeyJSON"],
        tests: ["LatchkeyEncryptedStore", "LatchkeySystem", "guess-member"])
    + plugin(
        "LatchkeyAgent", in: "Keys", ["LatchkeyEncryptedStore", "LatchkeySystem", "CAgentSocket"])
    + plugin(
        "LatchkeyCurl", in: "Transports", ["LatchkeyCrypto", "LatchkeySystem", "CCurl", "CZlib"],
        tests: ["LatchkeyHTTPServer", "LatchkeyLog"])
    + plugin(
        "LatchkeyTerminal", in: "Presenters", ["LatchkeySystem", "CQrencode", "CTerminal"], tests: ["LatchkeyJSON"])
    + plugin(
        "LatchkeyLoopback", in: "Presenters", ["LatchkeyHTTPServer", "LatchkeySystem", "CSocketOwner", "CSpawn"],
        tests: ["LatchkeyCurl", "LatchkeyCrypto"])
    + plugin(
        "LatchkeyAuditLog", in: "Observers", ["LatchkeyPluginKit", "LatchkeyCrypto", "LatchkeyJSON", "LatchkeySystem"],
        tests: ["LatchkeyLog", "audit-member"])
    + plugin("LatchkeyLog", in: "Observers", ["LatchkeySystem"], tests: ["LatchkeyJSON"])
    + plugin("LatchkeyMetrics", in: "Observers", ["LatchkeySystem"])
    + plugin(
        "LatchkeyWebSignIn", in: "Screens",
        [
            "LatchkeyModel", "LatchkeyOAuthCore", "LatchkeyPartitionedStore", "LatchkeyCrypto", "LatchkeyJSON",
            "LatchkeySystem",
            "CQrencode",
        ],
        tests: ["LatchkeyHTTPServer", "LatchkeyCurl", "LatchkeyFileStore"])
// Scripts/new adds plugins above this line.

let everything: [Target.Dependency] = [
    "Latchkey", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeyOAuthCore", "LatchkeyOAuth", "LatchkeyFileStore",
    "LatchkeyCurl", "LatchkeyTerminal", "LatchkeyLoopback", "LatchkeySystem", "LatchkeySupabase",
]

let tools: [Target] = [
    .target(
        name: "LatchkeyDevServer",
        dependencies: ["LatchkeyHTTPServer", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeySystem"],
        path: "Tools/latchkey-dev-server", exclude: ["Program"], swiftSettings: settings),
    .executableTarget(
        name: "latchkey-dev-server", dependencies: ["LatchkeyCommand", "LatchkeyDevServer", "LatchkeyJSON"],
        path: "Tools/latchkey-dev-server/Program", swiftSettings: settings),
    testTarget(for: "LatchkeyDevServer", ["Latchkey", "LatchkeyTesting", "RecordedGoTrue"]),
    .target(
        name: "LatchkeyCommand",
        dependencies: everything + [
            "CProcess", "CSpawn", "CWipingHeap", "LatchkeyEncryptedStore", "LatchkeyAgent", "LatchkeyPassphrase",
            "LatchkeySecretService", "LatchkeyClerk", "LatchkeyAuditLog",
        ], path: "Tools/latchkey", exclude: ["Program"], swiftSettings: settings),
    .executableTarget(
        name: "latchkey", dependencies: ["LatchkeyCommand"], path: "Tools/latchkey/Program", swiftSettings: settings),
    testTarget(
        for: "LatchkeyCommand", ["Latchkey", "LatchkeyJSON", "LatchkeyOAuth", "LatchkeySupabase", "LatchkeyTesting"]),
]

let programs: [Target] = [
    example("device-login", ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyTerminal"]),
    example("browser-login", ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyLoopback"]),
    example("service", ["Latchkey", "LatchkeyOAuth", "LatchkeyOAuthCore", "LatchkeyCurl"]),
    example(
        "unlock",
        [
            "Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyEncryptedStore", "LatchkeyPassphrase",
            "LatchkeyTerminal",
        ]),
    example("first-screen", ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyLoopback"]),
    example(
        "supabase-password",
        ["Latchkey", "LatchkeySupabase", "LatchkeyCurl", "LatchkeyJSON", "LatchkeyTerminal"]),
    example(
        "supabase-link", ["Latchkey", "LatchkeySupabase", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyTerminal"]),
    example(
        "supabase-guest", ["Latchkey", "LatchkeySupabase", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyTerminal"]),
    example(
        "supabase-browser",
        [
            "Latchkey", "LatchkeySupabase", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyLoopback",
            "LatchkeyTerminal",
        ]),
    example(
        "clerk-life", ["Latchkey", "LatchkeyClerk", "LatchkeyCurl", "LatchkeyDevServer", "LatchkeyFileStore"]),
    example(
        "outbox-sync",
        [
            "Latchkey", "LatchkeySupabase", "LatchkeyCurl", "LatchkeyDevServer", "LatchkeyHTTPServer",
            "LatchkeyFileStore", "CSQLite",
        ]),
    example(
        "web-app",
        [
            "Latchkey", "LatchkeyWebSignIn", "LatchkeyModel", "LatchkeySupabase", "LatchkeyOAuth",
            "LatchkeyOAuthCore", "LatchkeyClerk", "LatchkeyCurl", "LatchkeyCrypto", "LatchkeyDevServer",
            "LatchkeyHTTPServer", "LatchkeyFileStore", "LatchkeySystem",
        ]),
    example(
        "several-accounts",
        ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyLoopback"]),
    example("follow-events", ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore"]),
    example("own-screens", ["Latchkey", "LatchkeyModel", "LatchkeySupabase", "LatchkeyCurl"]),
    example(
        "five-apps",
        [
            "Latchkey", "LatchkeyModel", "LatchkeySupabase", "LatchkeyClerk", "LatchkeyPassphrase", "LatchkeyAuditLog",
            "LatchkeyCurl", "LatchkeyFileStore",
        ]),
    example("token-check", ["Latchkey", "LatchkeyOAuthCore", "LatchkeyCrypto", "LatchkeyJSON", "LatchkeyCurl"]),
    // A part of an app, and its tests, as an app's author would write them.
    .target(name: "NotesApp", dependencies: ["Latchkey"], path: "Examples/notes", swiftSettings: settings),
    .testTarget(
        name: "NotesAppTests",
        dependencies: [
            "NotesApp", "Latchkey", "LatchkeyTesting", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyDevServer",
        ], swiftSettings: settings),
    // A check for signs of interference, as an app would bring its own.
    .target(name: "IntegrityApp", dependencies: ["Latchkey"], path: "Examples/integrity", swiftSettings: settings),
    .testTarget(
        name: "IntegrityAppTests", dependencies: ["IntegrityApp", "Latchkey", "LatchkeyTesting"],
        swiftSettings: settings),
    // The code of the guides that no example has, compiled.
    testLibrary(
        "DocumentSnippets", in: "Snippets",
        [
            "Latchkey", "LatchkeyAuditLog", "LatchkeyClerk", "LatchkeyCognito", "LatchkeyCurl",
            "LatchkeyEncryptedStore",
            "LatchkeyFileStore", "LatchkeyKernelKeyring", "LatchkeyLoopback", "LatchkeyModel", "LatchkeyOAuth",
            "LatchkeyPassphrase", "LatchkeySupabase", "LatchkeySupabaseAdmin", "LatchkeyTerminal", "LatchkeyDevServer",
            "LatchkeyLog", "LatchkeyMetrics", "IntegrityApp",
        ]),
    // One of several that race for a session.
    testProgram(
        "race-member", in: "RaceMember",
        ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeySystem"]),
    // It kills itself at a given step.
    testProgram(
        "crash-member", in: "CrashMember",
        ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeySystem", "LatchkeyTesting"]),
    // It ends while a refresh is under way.
    testProgram("leaver", in: "Leaver", ["Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore"]),
    // A process of a store's contract, for several stores.
    testProgram(
        "store-member", in: "StoreMember",
        ["FolderStores", "LatchkeyFileStore", "LatchkeyEncryptedStore", "LatchkeyTesting"]),
    // The same for the desktop's keyring.
    testProgram("keyring-member", in: "KeyringMember", ["LatchkeySecretService", "LatchkeyTesting"]),
    // It guesses a passphrase, beside others.
    testProgram("guess-member", in: "GuessMember", ["LatchkeyPassphrase", "LatchkeyCrypto"]),
    // It writes into a security log until it is killed, and the one that kills it.
    testProgram("audit-member", in: "AuditMember", ["LatchkeyAuditLog", "LatchkeyTesting"]),
    // Stores with faults that only several processes find.
    testLibrary("FolderStores", in: "FolderStores", ["Latchkey", "LatchkeySystem"]),
    // What a test proves: the lists of the laws and of other pages are written from that.
    testLibrary("Proofs", in: "Proofs", []),
    // Lets the tasks of a test go on until each has to wait.
    testLibrary("TaskSettling", in: "TaskSettling", ["LatchkeySystem"]),
    // It looks for secrets in its own memory.
    testProgram(
        "memory-member", in: "MemoryMember",
        [
            "Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyEncryptedStore", "LatchkeyPassphrase", "CWipingHeap",
        ]),
    // It reaches servers by the proxy of its environment.
    testProgram("proxy-user", in: "ProxyUser", ["Latchkey", "LatchkeyCurl"]),
    // Kills processes at random, over real files and at a real service, and looks at what they leave.
    testProgram(
        "torture", in: "Torture",
        [
            "Latchkey", "LatchkeyOAuth", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyEncryptedStore",
            "LatchkeyDevServer", "LatchkeySystem", "LatchkeyTesting",
        ], exclude: ["Shim"]),
    // Does the same thing so often that whatever it leaves behind would show.
    testProgram(
        "soak", in: "Soak",
        [
            "Latchkey", "LatchkeyOAuth", "LatchkeyOAuthCore", "LatchkeyCurl", "LatchkeyFileStore", "LatchkeyDevServer",
            "LatchkeySystem", "LatchkeyTesting", "CHeap",
        ], exclude: ["Heap"]),
    .target(name: "CHeap", path: "Tests/Programs/Soak/Heap"),
    // Histories of processes, disk, network and clock, drawn from seeds.
    testLibrary(
        "LatchkeySimulation", in: "Simulation",
        [
            "Latchkey", "LatchkeyClerk", "LatchkeyCrypto", "LatchkeyFileStore", "LatchkeyJSON", "LatchkeySystem",
            "LatchkeyOAuthCore", "LatchkeySupabase", "LatchkeyTesting",
        ]),
    // Runs many of those histories.
    testProgram("simulator", in: "Simulator", ["LatchkeySimulation", "LatchkeyTesting"]),
    .testTarget(
        name: "SimulationTests",
        dependencies: [
            "Proofs", "Latchkey", "LatchkeyFileStore", "LatchkeySystem", "LatchkeySimulation", "LatchkeyTesting",
        ],
        swiftSettings: settings),
    // What a person does at Supabase, while one request meets a fault.
    testLibrary(
        "SupabaseWalks", in: "SupabaseWalks",
        [
            "Latchkey", "LatchkeyDevServer", "LatchkeyHTTPServer", "LatchkeyJSON", "LatchkeySystem",
            "LatchkeySupabase", "LatchkeyTesting",
        ]),
    // Does all of it.
    testProgram("supabase-walks", in: "SupabaseWalker", ["SupabaseWalks"]),
    // Every sign-in of every person at every kind of Clerk instance.
    testLibrary(
        "ClerkWalks", in: "ClerkWalks",
        [
            "Latchkey", "LatchkeyClerk", "LatchkeyCrypto", "LatchkeyDevServer", "LatchkeyHTTPServer", "LatchkeyJSON",
            "LatchkeySystem", "LatchkeyTesting",
        ]),
    testProgram("clerk-walks", in: "ClerkWalker", ["ClerkWalks"]),
    // Requests to a real GoTrue and its answers.
    testLibrary(
        "RecordedGoTrue", in: "RecordedGoTrue", ["Latchkey", "LatchkeyCrypto", "LatchkeyJSON"], exclude: ["Recorded"]),
    // Every input that the fuzz targets were given by hand or found; the fuzzer itself is a package of its own.
    .testTarget(
        name: "FuzzTests",
        dependencies: [
            "Latchkey", "LatchkeyJSON", "LatchkeyCrypto", "LatchkeyOAuthCore", "LatchkeyOAuth", "LatchkeySupabase",
            "LatchkeyFileStore", "LatchkeyEncryptedStore", "LatchkeyAgent", "LatchkeyPassphrase", "LatchkeyPluginKit",
            "LatchkeyCurl", "LatchkeyAuditLog", "LatchkeyLoopback", "LatchkeyHTTPServer", "LatchkeySystem",
        ],
        path: "Fuzz", exclude: ["Package.swift", "README.md", "Program", "Corpus", "Dictionaries"],
        sources: ["Targets", "Replay"], swiftSettings: settings),
    // The model, the terminal and the pages over every provider at its service.
    .testTarget(
        name: "WalkTests",
        dependencies: [
            "Proofs",
            "Latchkey", "LatchkeyModel", "LatchkeyTesting", "LatchkeySupabase", "LatchkeyOAuth", "LatchkeyClerk",
            "LatchkeyCognito", "LatchkeyDevServer", "LatchkeyCurl", "LatchkeyTerminal", "LatchkeyJSON",
            "LatchkeyCrypto", "LatchkeySystem", "LatchkeyOAuthCore", "LatchkeyWebSignIn",
        ],
        swiftSettings: settings),
    .testTarget(
        name: "EndToEndTests",
        dependencies: everything + [
            "Proofs",
            "LatchkeyTesting", "LatchkeyHTTPServer", "LatchkeyCognito", "LatchkeyCommand", "LatchkeyDevServer",
            "latchkey",
            "latchkey-dev-server", "first-screen",
            "race-member", "crash-member", "proxy-user", "memory-member", "LatchkeyEncryptedStore", "LatchkeyAgent",
            "DocumentSnippets", "LatchkeyPartitionedStore", "LatchkeyWebSignIn", "LatchkeyLog", "LatchkeyMetrics",
            "CLibrary",
        ],
        swiftSettings: settings),
]

let products = [
    "Latchkey", "LatchkeyJSON", "LatchkeyPluginKit", "LatchkeyCrypto", "LatchkeyOAuthCore", "LatchkeyOAuth",
    "LatchkeySupabase", "LatchkeySupabaseAdmin", "LatchkeyCognito", "LatchkeyClerk", "LatchkeyFileStore",
    "LatchkeyEncryptedStore",
    "LatchkeySecretService", "LatchkeyKernelKeyring", "LatchkeyAgent", "LatchkeyPassphrase", "LatchkeyCurl",
    "LatchkeyTerminal", "LatchkeyLoopback", "LatchkeyDevServer", "LatchkeyTesting", "LatchkeyModel",
    "LatchkeyAuditLog", "LatchkeyLog", "LatchkeyMetrics", "LatchkeyWebSignIn", "LatchkeyPartitionedStore",
    // Scripts/new adds products above this line.
]

/// What usually goes together, by one line. Each module in it is imported by its own name.
let bundles: [Product] = [
    .library(
        name: "LatchkeyCLI",
        targets: [
            "Latchkey", "LatchkeyOAuth", "LatchkeyFileStore", "LatchkeyEncryptedStore", "LatchkeyPassphrase",
            "LatchkeyCurl",
            "LatchkeyLoopback", "LatchkeyTerminal", "LatchkeyLog",
        ]),
    .library(
        name: "LatchkeyServer",
        targets: [
            "Latchkey", "LatchkeyOAuth", "LatchkeyOAuthCore", "LatchkeyFileStore", "LatchkeyPartitionedStore",
            "LatchkeyCurl",
            "LatchkeyModel", "LatchkeyWebSignIn", "LatchkeyLog", "LatchkeyMetrics",
        ]),
]

let package = Package(
    name: "latchkey",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: products.map { .library(name: $0, targets: [$0]) } + bundles + [
        .executable(name: "latchkey", targets: ["latchkey"]),
        .executable(name: "latchkey-dev-server", targets: ["latchkey-dev-server"]),
    ],
    traits: [
        .trait(name: "SecretService", description: "The desktop's keyring as a store, by libsecret (libsecret-1-dev)"),
        .default(enabledTraits: []),
    ],
    targets: cModules + libraries + plugins + tools + programs,
    swiftLanguageModes: [.v6]
)

import Glibc

/// A program that `Tests/Servers` can start.
enum ServerKind: String, CustomStringConvertible, CaseIterable {
    case glewlwyd
    /// The same, with access tokens that last for ``briefLifetime``.
    case glewlwydBrief
    case django
    /// The same as ``django``, where a used refresh token is good for a while longer.
    case djangoWithGrace
    /// Amazon Cognito, as others have rebuilt it.
    case moto

    var description: String {
        switch self {
        case .glewlwyd, .glewlwydBrief: "Glewlwyd"
        case .django, .djangoWithGrace: "django-oauth-toolkit"
        case .moto: "moto"
        }
    }

    /// How long access tokens last at ``glewlwydBrief``.
    static let briefLifetime = Duration.seconds(15)

    var script: String {
        let folder =
            switch self {
            case .glewlwyd, .glewlwydBrief: "glewlwyd"
            case .django, .djangoWithGrace: "django"
            case .moto: "moto"
            }
        return "\(Repository.root)/Tests/Servers/\(folder)/start"
    }

    func options(redirect: String) -> [String] {
        switch self {
        case .glewlwyd: ["--redirect", redirect]
        case .glewlwydBrief: ["--redirect", redirect, "--lifetime", "\(Self.briefLifetime.components.seconds)"]
        case .django, .moto: []
        case .djangoWithGrace: ["--grace", "30"]
        }
    }

    /// Whether the tests shall run: the program is there, or it must be.
    var isWanted: Bool { Self.areRequired || isInstalled }

    var missing: String { "\(self) is not installed; run: Scripts/setup --servers" }

    private var isInstalled: Bool {
        switch self {
        case .glewlwyd, .glewlwydBrief:
            ["/usr/bin/glewlwyd", "/usr/sbin/glewlwyd"].contains(where: Self.canRun)
        case .django, .djangoWithGrace:
            Self.canRun("\(Repository.root)/.build/servers/venv/bin/python")
        case .moto: Self.canRun("\(Repository.root)/.build/servers/venv/bin/moto_server")
        }
    }

    private static func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 }

    /// Whether nothing may be skipped.
    static var areRequired: Bool { getenv("LATCHKEY_REQUIRE_SERVERS").map { String(cString: $0) } == "1" }
}

/// The running servers of this test run: one of each kind, started when first asked for.
actor Servers {
    static let shared = Servers()
    private var starting: [ServerKind: Task<HeldServer, any Error>] = [:]

    func server(_ kind: ServerKind) async throws -> HeldServer {
        if let task = starting[kind] { return try await task.value }
        let task = Task { try await HeldServer.start(kind) }
        starting[kind] = task
        return try await task.value
    }
}

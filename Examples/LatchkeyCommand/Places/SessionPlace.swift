import LatchkeyJSON

/// Where the session of a profile is.
enum SessionPlace: Hashable, Sendable {
    /// Private files, as they are.
    case file
    /// The keyring of the desktop.
    case keyring
    /// One encrypted file, which a passphrase opens.
    case encrypted
    /// One of a newer version.
    case unknown(String)

    /// The places that somebody can choose, the weakest first.
    static let known: [SessionPlace] = [.file, .keyring, .encrypted]

    /// The place in one word.
    var name: String {
        switch self {
        case .file: "file"
        case .keyring: "keyring"
        case .encrypted: "encrypted"
        case .unknown(let name): name
        }
    }

    init(name: String) { self = Self.known.first { $0.name == name } ?? .unknown(name) }

    /// How much it takes to read a session there: any program of the user, or of an open desktop, or one that was given the
    /// passphrase.
    private var strength: Int { Self.known.firstIndex(of: self) ?? 0 }

    /// Whether a session here is as safe as one at `other`.
    func isAsGood(as other: SessionPlace) -> Bool { strength >= other.strength }
}

/// Where exactly, as `login` and `status` say it.
struct PlaceReport: Sendable {
    let place: SessionPlace
    let path: String
    /// Whether it can be read without asking anybody; `nil`: nobody has looked.
    var isOpen: Bool?

    /// For a person.
    func words(_ texts: ToolTexts = .english) -> String {
        switch place {
        case .file: texts("place.file", ["path": path])
        case .keyring: texts("place.keyring")
        case .encrypted:
            texts(
                "place.encrypted",
                ["path": path, "open": isOpen.map { texts($0 ? "place.unlocked" : "place.locked") } ?? ""])
        case .unknown(let name): texts("place.unknown", ["name": name])
        }
    }

    /// For a program: `kind`, `path` where there is one, `open` where that is known.
    var json: JSON {
        var members: [String: JSON] = [:]
        switch place {
        case .file: members["kind"] = "unencryptedFiles"
        case .keyring: members["kind"] = "keyring"
        case .encrypted: members["kind"] = "encryptedFile"
        case .unknown(let name): members["kind"] = .string(name)
        }
        if place != .keyring { members["path"] = .string(path) }
        members["open"] = isOpen.map { .bool($0) }
        return .object(members)
    }
}

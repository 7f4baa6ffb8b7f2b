import LatchkeyJSON

/// Where a profile keeps its session.
enum SessionPlace: Hashable, Sendable {
    /// Private files, not encrypted.
    case file
    /// The keyring of the desktop.
    case keyring
    /// One encrypted file that a passphrase opens.
    case encrypted
    /// A place of a newer version.
    case unknown(String)

    /// The places to choose from, the weakest first.
    static let known: [SessionPlace] = [.file, .keyring, .encrypted]

    /// The place's name, one word.
    var name: String {
        switch self {
        case .file: "file"
        case .keyring: "keyring"
        case .encrypted: "encrypted"
        case .unknown(let name): name
        }
    }

    /// What kind of place it is, for people.
    var words: ToolText {
        switch self {
        case .file: ToolText("place.kind.file")
        case .keyring: ToolText("place.keyring")
        case .encrypted: ToolText("place.kind.encrypted")
        case .unknown(let name): ToolText("place.unknown", ["name": name])
        }
    }

    init(name: String) { self = Self.known.first { $0.name == name } ?? .unknown(name) }

    /// The rank of the place, by who can read a session there: any program of the user; any program while the
    /// desktop is unlocked; only a program that has the passphrase.
    private var strength: Int { Self.known.firstIndex(of: self) ?? 0 }

    /// Whether a session here is as safe as one at `other`.
    func isAsGood(as other: SessionPlace) -> Bool { strength >= other.strength }
}

/// The exact place, as `login` and `status` show it.
struct PlaceReport: Sendable {
    let place: SessionPlace
    let path: String
    /// Whether it can be read without asking the person; `nil` if that was not checked.
    var isOpen: Bool?

    /// Returns the text for a person.
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

    /// The object for programs: `kind`, and if known `path` and `open`.
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

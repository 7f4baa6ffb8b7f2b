import Latchkey
import LatchkeyAgent
import LatchkeyCrypto

/// Where agents listen that were asked to keep keys of this user's data: a file for each, beside that data.
///
/// An agent's place depends on `$XDG_RUNTIME_DIR`. A command that was started without it, or with another one, finds the
/// agent by these files. They are hints: what they name is asked, and forgotten if no agent is there.
struct AgentRecords: Sendable {
    private static let prefix = "place-"
    private static let longest = 4_096

    private let directory: String
    private let disk: any FileAccess

    init(_ invocation: Invocation) throws {
        directory = try DataFolder(invocation.environment).path + "/agent"
        disk = invocation.world.files
    }

    /// Returns the places that are noted, as far as they can be read.
    func places() -> [AgentPlace] {
        guard let files = try? TrustedDirectory.open(directory, .own, in: disk)?.files,
            let names = try? files.list(".")
        else { return [] }
        return names.sorted().filter { $0.hasPrefix(Self.prefix) }.compactMap { name in
            guard let bytes = (try? files.read(name, limit: Self.longest)) ?? nil,
                let path = String(validating: bytes, as: UTF8.self)
            else { return nil }
            return try? AgentPlace(in: path)
        }
    }

    /// Notes that an agent listens at `place`.
    func note(_ place: AgentPlace) throws {
        let files = try TrustedDirectory.make(directory, .own, in: disk).files
        let name = Self.name(place)
        guard try files.status(name) == nil else { return }
        try files.writeNew(name, Array(place.directory.utf8))
    }

    /// Forgets a place where no agent listens any more.
    func forget(_ place: AgentPlace) {
        try? TrustedDirectory.open(directory, .own, in: disk)?.files.remove(Self.name(place))
    }

    private static func name(_ place: AgentPlace) -> String {
        let digits = Checksum.sha256(Array(place.directory.utf8)).prefix(8).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return prefix + digits.joined()
    }
}

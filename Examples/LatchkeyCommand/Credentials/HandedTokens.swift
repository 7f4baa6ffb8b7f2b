import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// Which program got which token, so that one that a cluster refused is not given out again.
///
/// kubectl and its like keep a token until it ends or a cluster answers 401, and then run the plugin again, without
/// saying why
/// ([kubernetes.io](https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats)).
/// So a process that asks again for a token that it has already, for the same cluster, was refused. The file holds
/// digests, and no token.
struct HandedTokens {
    private struct Entry {
        var token: String
        var receiver: String?
        var isRefused = false
    }

    /// How many are remembered.
    private static let limit = 64
    private static let sizeLimit = 65_536

    private let directory: String
    private let file: String
    private let receiver: String?
    private let world: PluginContext
    private var entries: [Entry] = []

    /// Reads what is remembered of the profile. A file that is missing or damaged counts as empty.
    init(_ invocation: Invocation, _ profile: Profile) throws {
        directory = try DataFolder(invocation.environment).path + "/.kubectl"
        file = "\(profile.name).json"
        world = invocation.world
        receiver = Self.receiver(invocation).map(Self.digest)
        let files = try? TrustedDirectory.open(directory, .own, in: world.files)?.files
        guard let bytes = try? files?.read(file, limit: Self.sizeLimit), let root = try? JSON.parse(bytes) else {
            return
        }
        entries = (root.object?["tokens"]?.array ?? []).compactMap { entry in
            entry["token"]?.string.map {
                Entry(token: $0, receiver: entry["receiver"]?.string, isRefused: entry["refused"] == .bool(true))
            }
        }
    }

    /// Whether `token` was refused: the program that asks has it already, or an earlier one was given another in its
    /// place.
    func isRefused(_ token: Secret) -> Bool {
        let digest = Self.digest(token.revealText())
        return entries.contains { $0.token == digest && ($0.isRefused || (receiver != nil && $0.receiver == receiver)) }
    }

    /// Notes that `token` is not to be given out any more.
    mutating func refuse(_ token: Secret) {
        let digest = Self.digest(token.revealText())
        entries.removeAll { $0.token == digest }
        entries.append(Entry(token: digest, isRefused: true))
        save()
    }

    /// Notes that the program gets `token`.
    mutating func give(_ token: Secret) {
        guard let receiver else { return }
        entries.append(Entry(token: Self.digest(token.revealText()), receiver: receiver))
        save()
    }

    /// Nothing depends on it: without the file, a refused token lasts as long as it says.
    private mutating func save() {
        entries.removeFirst(max(0, entries.count - Self.limit))
        let list = entries.map { entry -> JSON in
            var members: [String: JSON] = ["token": .string(entry.token)]
            members["receiver"] = entry.receiver.map { .string($0) }
            if entry.isRefused { members["refused"] = true }
            return .object(members)
        }
        guard let place = try? TrustedDirectory.make(directory, .own, in: world.files) else { return }
        let temporary = ".\(world.randomName()).new"
        let document: JSON = ["tokens": .array(list), "version": 1]
        guard (try? place.files.writeNew(temporary, document.serialized())) != nil else { return }
        do { try place.files.rename(temporary, to: file) } catch { try? place.files.remove(temporary) }
    }

    /// The program that asks and the cluster that it asks for; `nil` unless it is one that keeps tokens, as
    /// `KUBERNETES_EXEC_INFO` shows.
    private static func receiver(_ invocation: Invocation) -> String? {
        guard let text = invocation.environment["KUBERNETES_EXEC_INFO"], let info = try? JSON.parse(Array(text.utf8)),
            info.object?["apiVersion"] != nil, let program = ParentProcess.identity
        else { return nil }
        let cluster = info.object?["spec"]?.object?["cluster"]?.object?["server"]?.string ?? ""
        return "\(invocation.world.clock.boot) \(program) \(cluster)"
    }

    private static func digest(_ text: String) -> String {
        Base64URL.encode(Checksum.sha256(Array(text.utf8)))
    }
}

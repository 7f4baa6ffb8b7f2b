import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// Which program got which token, so that one that a cluster refused is not given out again.
///
/// kubectl and programs like it keep a token until it ends or a cluster answers 401, and then run the plugin again, without
/// saying why
/// ([kubernetes.io](https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats)).
/// So a process that asks again for a token that it has already, for the same cluster, was refused, unless it asks no
/// more often than processes of that program usually do: some have several clients in them, each of which asks once.
/// The file holds digests, and no token.
struct HandedTokens {
    /// One answer.
    private struct Entry {
        var token: String
        var receiver: String?
        var program: String?
        var isRefused = false
    }

    /// How many are remembered.
    private static let limit = 128
    /// How many earlier processes of a program show how often it asks.
    private static let examples = 8
    private static let sizeLimit = 65_536

    private let directory: String
    private let file: String
    private let receiver: String?
    private let program: String?
    private let world: PluginContext
    private var entries: [Entry] = []

    /// Reads what is remembered of the profile. A file that is missing or damaged counts as empty.
    init(_ invocation: Invocation, _ profile: Profile) throws {
        directory = try DataFolder(invocation.environment).path + "/.kubectl"
        file = "\(profile.name).json"
        world = invocation.world
        let asking = Self.asking(invocation)
        receiver = asking.map { Self.digest("\($0.process) \($0.cluster)") }
        program = asking.map { Self.digest($0.process.program) }
        let files = try? TrustedDirectory.open(directory, .own, in: world.files)?.files
        guard let bytes = try? files?.read(file, limit: Self.sizeLimit), let root = try? JSON.parse(bytes) else {
            return
        }
        entries = (root.object?["tokens"]?.array ?? []).compactMap { entry in
            entry["token"]?.string.map {
                Entry(
                    token: $0, receiver: entry["receiver"]?.string, program: entry["program"]?.string,
                    isRefused: entry["refused"] == .bool(true))
            }
        }
    }

    /// Whether `token` was refused: the process that asks has it already, or an earlier one was given another in its
    /// place.
    func isRefused(_ token: Secret) -> Bool {
        let digest = Self.digest(token.revealText())
        let same = entries.filter { $0.token == digest }
        if same.contains(where: \.isRefused) { return true }
        guard let receiver, same.contains(where: { $0.receiver == receiver }) else { return false }
        return entries.count { $0.receiver == receiver } >= usual
    }

    /// How often a process of the program asks when nothing is refused: the least of the last few.
    private var usual: Int {
        var counts: [String: Int] = [:]
        for entry in entries.reversed() where entry.program == program && entry.receiver != receiver {
            guard let other = entry.receiver, counts[other] != nil || counts.count < Self.examples else { continue }
            counts[other, default: 0] += 1
        }
        return counts.values.min() ?? 1
    }

    /// Notes that `token` is not to be given out any more.
    mutating func refuse(_ token: Secret) {
        entries.append(Entry(token: Self.digest(token.revealText()), isRefused: true))
        save()
    }

    /// Notes that the program gets `token`.
    mutating func give(_ token: Secret) {
        guard let receiver else { return }
        entries.append(Entry(token: Self.digest(token.revealText()), receiver: receiver, program: program))
        save()
    }

    /// Nothing depends on it: without the file, a refused token lasts as long as it says.
    private mutating func save() {
        entries.removeFirst(max(0, entries.count - Self.limit))
        let list = entries.map { entry -> JSON in
            var members: [String: JSON] = ["token": .string(entry.token)]
            members["receiver"] = entry.receiver.map { .string($0) }
            members["program"] = entry.program.map { .string($0) }
            if entry.isRefused { members["refused"] = true }
            return .object(members)
        }
        guard let place = try? TrustedDirectory.make(directory, .own, in: world.files) else { return }
        let temporary = ".\(world.randomName()).new"
        let document: JSON = ["tokens": .array(list), "version": 1]
        guard (try? place.files.writeNew(temporary, document.serialized())) != nil else { return }
        do { try place.files.rename(temporary, to: file) } catch { try? place.files.remove(temporary) }
    }

    /// The process that asks and the cluster that it asks for; `nil` unless it is one that keeps tokens, as
    /// `KUBERNETES_EXEC_INFO` shows.
    private static func asking(_ invocation: Invocation) -> (process: SeenProcess, cluster: String)? {
        guard let text = invocation.environment["KUBERNETES_EXEC_INFO"], let info = try? JSON.parse(Array(text.utf8)),
            info.object?["apiVersion"] != nil, let process = SeenProcess.parent(boot: invocation.world.clock.boot)
        else { return nil }
        return (process, info.object?["spec"]?.object?["cluster"]?.object?["server"]?.string ?? "")
    }

    private static func digest(_ text: String) -> String {
        Base64URL.encode(Checksum.sha256(Array(text.utf8)))
    }
}

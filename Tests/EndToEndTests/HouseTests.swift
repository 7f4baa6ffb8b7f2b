import Foundation
import Testing

/// The folders, and what the architecture says of them.
@Suite("The house") struct HouseTests {
    /// What a module of a family adopts or gives. A module that adopts no protocol of its family is named below.
    private static var families: [String: Regex<Substring>] {
        [
            "Providers": /: [\w, ]*\bAuthProvider\b/,
            "Stores": /: [\w, ]*\b(?:SessionStore|CrossProcessStore|DocumentlessStore)\b/,
            "Unlock": /: [\w, ]*\b(?:UnlockAuthenticator|KeyReleasing)\b/, "Transports": /: [\w, ]*\bHTTPTransport\b/,
            "Presenters": /: [\w, ]*\b(?:ChallengePresenter|RedirectReceiving)\b/,
            "Observers": /: [\w, ]*\b(?:AuthObserver|AuthEventObserving)\b/,
            "Keys": /: [\w, ]*\b(?:KeyHolder|VaultKeeper)\b/,
            // Screens have no protocol: they show the model's states.
            "Screens": /\bAuthModel\b/,
        ]
    }

    /// It administers a project by its secret key, and signs nobody in: it lies beside the provider of that service.
    private static let exceptions: Set = ["LatchkeySupabaseAdmin"]

    /// The folders in `path`, sorted.
    private static func folders(in path: String) throws -> [String] {
        let place = "\(Repository.root)/\(path)"
        return try FileManager.default.contentsOfDirectory(atPath: place).filter { name in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: "\(place)/\(name)", isDirectory: &isFolder)
            return exists && isFolder.boolValue && !name.hasPrefix(".")
        }.sorted()
    }

    @Test("each module lies in the folder of the protocol that it adopts")
    func adopted() throws {
        var (modules, misplaced) = (0, 0)
        for family in try Self.folders(in: "Plugins") where family != "Bridges" {
            let sign = try #require(Self.families[family], "\(family) is no kind of plugin.")
            for module in try Self.folders(in: "Plugins/\(family)") {
                modules += 1
                let text = try Repository.swiftFiles(under: "Plugins/\(family)/\(module)").joined(separator: "\n")
                guard !text.contains(sign), !Self.exceptions.contains(module) else { continue }
                misplaced += 1
                Issue.record("\(module) adopts nothing that belongs in \(family)")
            }
        }
        print("house: modules=\(modules) misplaced=\(misplaced)")
        #expect(modules > 15)
    }

    @Test("the tree in the architecture has each folder, and one sentence about it")
    func tree() throws {
        let page = try Repository.text("Documentation/Internals/Architecture.md")
        let block = try #require(page.firstMatch(of: /## The house\n\n```\n((?s:.*?))```/)?.1)
        var told: [String: Set<String>] = [:]
        var room = ""
        for line in block.split(separator: "\n") {
            let found = try #require(line.wholeMatch(of: /( *)([\w-]+)\/? +(\S.*)/), "\(line)")
            if found.1.isEmpty { room = String(found.2) }
            told[room, default: []].formUnion(found.1.isEmpty ? [] : [String(found.2)])
        }
        #expect(try Set(told.keys) == Set(Self.folders(in: "")))
        for (room, names) in told where !names.isEmpty {
            // A module's tests have its name, which needs no sentence.
            let modules = try ["Sources", "Tools/latchkey-dev-server"].flatMap(Self.folders)
            let plugins = try Self.folders(in: "Plugins").flatMap { try Self.folders(in: "Plugins/\($0)") }
            let own = Set((modules + plugins + ["LatchkeyDevServer", "LatchkeyCommand"]).map { "\($0)Tests" })
            let there = try Set(Self.folders(in: room)).subtracting(room == "Tests" ? own : [])
            #expect(names == there, "\(room)")
        }
    }
}

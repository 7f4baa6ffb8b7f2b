import Latchkey
import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyEncryptedStore
import LatchkeyJSON
import LatchkeyPassphrase

/// Manages where one profile keeps its session.
struct StoreDesk {
    let invocation: Invocation
    let profile: Profile
    let places: Places

    var texts: ToolTexts { invocation.texts }

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        profile = try invocation.profile()
        places = try Places(invocation, profile)
    }

    /// Returns the encrypted file.
    ///
    /// - Throws: `configuration(unsupported)` if the session is elsewhere.
    func vault() throws -> ProfileVault { try Command.encrypted(profile, invocation) }

    /// Makes an encrypted file for a profile that has no session yet.
    func initialise() async throws {
        guard try await places.isEmpty() else {
            throw ToolError(
                .configuration(.changed), places.place == .encrypted ? "error.vaultThere" : "error.sessionThere",
                [
                    "profile": profile.name,
                    "command": invocation.line("store migrate --to encrypted", for: profile.name),
                ])
        }
        let vault = try Places(invocation, profile, at: .encrypted).vault()
        let code = invocation.arguments.has(.recoveryCode) ? RecoveryCode(context: invocation.world) : nil
        let passphrase = try await vault.newPassphrase()
        try await vault.store().initialise(
            with: [NewSlot(UnlockKey(.passphrase, passphrase))] + (code.map { [NewSlot($0.key)] } ?? []))
        try keep(.encrypted)
        try show(code, [texts("store.made", ["path": "\(vault.directory)/vault.lkv", "profile": profile.name])])
    }

    /// Reads every record.
    func verify() async throws {
        let count: Int
        if places.place == .encrypted {
            count = try await vault().opened().verify()
        } else {
            let store = try places.store()
            var found = 0
            for kind in StoreKey.Kind.allCases {
                for key in try await store.keys(kind) where try await store.read(key) != nil { found += 1 }
            }
            count = found
        }
        try invocation.show(
            ["profile": .string(profile.name), "records": .integer(Int64(count))],
            [texts("store.verified", ["count": "\(count)"])])
    }

    /// Moves the session to another place.
    func migrate() async throws {
        guard let name = invocation.arguments[.target] else {
            throw UsageError("usage.targetMissing", command: invocation.arguments.command)
        }
        let place = SessionPlace(name: name)
        guard place != places.place else {
            throw ToolError(.configuration(.invalid), "error.thereAlready", ["profile": profile.name])
        }
        let target = try Places(invocation, profile, at: place)
        let new = try target.store()
        try await Places.tryOut(new, in: invocation.world)
        let report = try await move(from: try places.store(), to: new)
        guard report.unreadable.isEmpty else {
            throw ToolError(
                .store(.damaged), "error.unreadableStay",
                ["moved": "\(report.moved)", "unreadable": "\(report.unreadable.count)"])
        }
        try keep(place)
        if places.place == .encrypted { try await places.vault().store().erase() }
        // The old place keeps no token, neither in what was set aside there.
        try await DamagedRecords.remove(places)
        let now = await target.report()
        try invocation.show(
            ["profile": .string(profile.name), "records": .integer(Int64(report.moved)), "store": now.json],
            [texts("store.moved", ["count": "\(report.moved)", "place": now.words(texts)])])
    }

    private func move(
        from source: any CrossProcessStore, to target: any CrossProcessStore
    ) async throws -> (moved: Int, unreadable: [StoreKey]) {
        func run(_ source: some SessionStore, _ target: some SessionStore) async throws -> (Int, [StoreKey]) {
            let report = try await StoreMigration(from: source, to: target).run()
            return (report.moved, report.unreadable)
        }
        return try await run(source, target)
    }

    /// Destroys all local data of the profile.
    func wipe() async throws {
        guard invocation.arguments.has(.yes) else {
            throw UsageError(
                "usage.wipe", ["profile": profile.name],
                hint: ToolText("hint.wipe", ["command": invocation.line("logout", for: profile.name)]))
        }
        try await Self.removeEverything(of: places)
        try invocation.show(["profile": .string(profile.name)], [texts("store.wiped", ["profile": profile.name])])
    }

    /// Removes every record at `places`; of an encrypted file first what opens it.
    static func removeRecords(of places: Places) async throws {
        if places.place == .encrypted {
            let vault = places.vault()
            return try await vault.store(keptBy: try await vault.agentKeeper()).erase()
        }
        let store = try places.store()
        for kind in StoreKey.Kind.allCases {
            for key in try await store.keys(kind) {
                guard let record = try await store.read(key) else { continue }
                try await store.replace(key, at: record.version, with: nil)
            }
        }
    }

    /// Removes everything at `places`, whether it can be read or not.
    static func removeEverything(of places: Places) async throws {
        do {
            try await removeRecords(of: places)
        } catch let error as AuthError where places.place != .keyring {
            // What cannot be read is removed with its file.
            if case .store = error.code {} else { throw error }
        }
        let files = places.invocation.world.files
        let parts = places.directory.split(separator: "/")
        guard let parent = try TrustedDirectory.open("/" + parts.dropLast().joined(separator: "/"), .sound, in: files)
        else { return }
        try DirectoryRemoval.remove(String(parts.last ?? "."), in: parent.files)
    }

    /// Repairs what needs a person's decision.
    func repair() async throws {
        if places.place == .file, invocation.arguments.has(.setAside) {
            return try show(repaired: try await DamagedRecords.setAside(places).map(\.new), "store.setAside")
        }
        let store = try vault().store()
        var repaired = try store.repairPermissions()
        if invocation.arguments.has(.setAside) { repaired.append(try await store.quarantine()) }
        if invocation.arguments.has(.acceptOlder) {
            try await store.acceptRollback(generation: try store.status().header.generation)
        }
        try show(repaired: repaired)
    }

    private func show(repaired: [String], _ key: String = "store.mended") throws {
        try invocation.show(
            ["profile": .string(profile.name), "repaired": .array(repaired.map { .string($0) })],
            repaired.isEmpty ? [texts("store.sound")] : repaired.map { texts(key, ["path": $0]) })
    }

    /// Remembers the place.
    func keep(_ place: SessionPlace) throws {
        var profile = profile
        profile.place = place
        try invocation.profiles().save(profile)
    }

    /// Shows `code` once, and `lines`.
    func show(_ code: RecoveryCode?, _ lines: [String], slot: UInt16? = nil) throws {
        var members: [String: JSON] = ["profile": .string(profile.name)]
        members["slot"] = slot.map { .integer(Int64($0)) }
        members["recoveryCode"] = code.map { .string($0.text.revealText()) }
        let shown = code.map { code in
            [texts("store.recoveryCode"), "", "    \(code.text.revealText())", ""]
        }
        try invocation.show(.object(members), lines + (shown ?? []))
    }
}

import Latchkey
import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyEncryptedStore
import LatchkeyJSON
import LatchkeyPassphrase

/// Works on where one profile's session is.
struct StoreDesk {
    let invocation: Invocation
    let profile: Profile
    let places: Places

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        profile = try invocation.profile()
        places = try Places(invocation, profile)
    }

    /// The encrypted file.
    ///
    /// - Throws: `configuration(unsupported)` where the session is elsewhere.
    func vault() throws -> ProfileVault { try Command.encrypted(profile, invocation) }

    /// Makes an encrypted file for a profile that has no session yet.
    func initialise() async throws {
        guard try await places.isEmpty() else {
            throw AuthError(
                .configuration(.changed),
                places.place == .encrypted
                    ? "The profile \(profile.name) has an encrypted file already."
                    : "The profile \(profile.name) has a session; take it along by \"latchkey store migrate --to encrypted\"."
            )
        }
        let vault = try Places(invocation, profile, at: .encrypted).vault()
        let code = invocation.arguments.has(.recoveryCode) ? RecoveryCode(context: invocation.world) : nil
        let passphrase = try await vault.newPassphrase()
        try await vault.store().initialise(
            with: [NewSlot(UnlockKey(.passphrase, passphrase))] + (code.map { [NewSlot($0.key)] } ?? []))
        try keep(.encrypted)
        try show(code, ["Made \(vault.directory)/vault.lkv. The next login of the profile \(profile.name) uses it."])
    }

    /// Reads everything.
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
            ["profile": .string(profile.name), "records": .integer(Int64(count))], ["All \(count) records can be read."]
        )
    }

    /// Moves the session to another place.
    func migrate() async throws {
        guard let name = invocation.arguments[.target] else {
            throw UsageError("Nobody says where to: --to is missing", command: invocation.arguments.command)
        }
        let place = SessionPlace(name: name)
        guard place != places.place else {
            throw AuthError(.configuration(.invalid), "The profile \(profile.name) keeps its session there already.")
        }
        let target = try Places(invocation, profile, at: place)
        let new = try target.store()
        try await Places.tryOut(new, in: invocation.world)
        let report = try await move(from: try places.store(), to: new)
        guard report.unreadable.isEmpty else {
            throw AuthError(
                .store(.damaged),
                "\(report.moved) records were moved, and \(report.unreadable.count) cannot be read and stay where they are;"
                    + " the profile keeps its old place until they are gone.")
        }
        try keep(place)
        if places.place == .encrypted { try await places.vault().store().erase() }
        let now = await target.report()
        try invocation.show(
            ["profile": .string(profile.name), "records": .integer(Int64(report.moved)), "store": now.json],
            ["Moved \(report.moved) records. The session is in \(now.words())."])
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

    /// Destroys everything of the profile that is here.
    func wipe() async throws {
        guard invocation.arguments.has(.yes) else {
            throw UsageError(
                "Everything of the profile \(profile.name) would be destroyed here, and no service would be told",
                hint: "Sign out by: latchkey logout, or add --yes")
        }
        if places.place == .encrypted {
            let store = try vault().store(keptBy: try await places.vault().agentKeeper())
            try await store.erase()
        } else {
            let store = try places.store()
            for kind in StoreKey.Kind.allCases {
                for key in try await store.keys(kind) {
                    guard let record = try await store.read(key) else { continue }
                    try await store.replace(key, at: record.version, with: nil)
                }
            }
        }
        try invocation.show(["profile": .string(profile.name)], ["Everything of the profile \(profile.name) is gone."])
    }

    /// Mends what a person can decide.
    func repair() async throws {
        let store = try vault().store()
        var repaired = try store.repairPermissions()
        if invocation.arguments.has(.setAside) { repaired.append(try await store.quarantine()) }
        if invocation.arguments.has(.acceptOlder) {
            try await store.acceptRollback(generation: try store.status().header.generation)
        }
        try invocation.show(
            ["profile": .string(profile.name), "repaired": .array(repaired.map { .string($0) })],
            repaired.isEmpty ? ["Nothing was to be mended."] : repaired.map { "Mended \($0)" })
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
            ["Recovery code; print it, it is not shown again:", "", "    \(code.text.revealText())", ""]
        }
        try invocation.show(.object(members), lines + (shown ?? []))
    }
}

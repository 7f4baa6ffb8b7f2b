/// One thing that `latchkey supabase` does.
struct SupabaseAction: Sendable {
    /// The words that name it. A list goes without its second word too.
    var words: String
    /// How many operands follow the words.
    var count: ClosedRange<Int>
    /// What the first operand is called where it is missing.
    var missing = "usage.operandMissing"
    var run: @Sendable (SupabaseDesk) async throws -> Void

    /// Everything that it does, in the order of the help.
    static let all = [
        SupabaseAction(words: "user list", count: 0...0) { try await $0.showUser() },
        SupabaseAction(words: "password", count: 0...0) { try await $0.changePassword() },
        SupabaseAction(words: "reauthenticate", count: 0...0) { try await $0.reauthenticate() },
        SupabaseAction(words: "email", count: 1...1) { try await $0.changeEmail() },
        SupabaseAction(words: "phone", count: 1...1) { try await $0.changePhone() },
        SupabaseAction(words: "confirm", count: 0...1) { try await $0.confirm() },
        SupabaseAction(words: "resend", count: 0...1) { try await $0.resend() },
        SupabaseAction(words: "metadata", count: 0...64) { try await $0.metadata() },
        SupabaseAction(words: "claims", count: 0...0) { try await $0.showClaims() },
        SupabaseAction(words: "factors list", count: 0...0) { try await $0.listFactors() },
        SupabaseAction(words: "factors enroll", count: 0...0) { try await $0.enroll() },
        SupabaseAction(words: "factors verify", count: 0...1) { try await $0.verify() },
        SupabaseAction(words: "factors unenroll", count: 1...1, missing: "usage.factorID") { try await $0.unenroll() },
        SupabaseAction(words: "identities list", count: 0...0) { try await $0.listIdentities() },
        SupabaseAction(words: "identities link", count: 1...1, missing: "usage.identityProvider") {
            try await $0.link()
        },
        SupabaseAction(words: "identities unlink", count: 1...1, missing: "usage.identityID") {
            try await $0.unlink()
        },
        SupabaseAction(words: "passkeys list", count: 0...0) { try await $0.listPasskeys() },
        SupabaseAction(words: "passkeys rename", count: 2...2) { try await $0.renamePasskey() },
        SupabaseAction(words: "passkeys remove", count: 1...1) { try await $0.removePasskey() },
        SupabaseAction(words: "provider-token", count: 0...1) { try await $0.printProviderToken() },
        SupabaseAction(words: "open", count: 0...0) { try await $0.open() },
    ]

    /// The first words.
    static var subjects: [String] {
        var seen: Set<String> = []
        return all.compactMap { $0.parts.first }.filter { seen.insert($0).inserted }
    }

    /// The second words.
    static var actions: [String] {
        var seen: Set<String> = []
        return all.compactMap { $0.parts.count > 1 ? $0.parts[1] : nil }.filter { seen.insert($0).inserted }
    }

    /// The words as a person types them.
    var name: String { words.hasSuffix(" list") ? String(words.dropLast(" list".count)) : words }

    private var parts: [String] { words.split(separator: " ").map(String.init) }

    /// Finds what a command line names.
    ///
    /// - Returns: The action and the operands after its words.
    /// - Throws: ``UsageError`` if there is no such action, or it has too few or too many operands.
    static func find(_ invocation: Invocation) throws -> (action: SupabaseAction, operands: [String]) {
        let (operands, command) = (invocation.arguments.operands, invocation.arguments.command)
        let (what, second) = (operands[0], operands.count > 1 ? operands[1] : "list")
        if let action = all.first(where: { $0.words == what }) {
            return (action, try action.checked(Array(operands.dropFirst()), command))
        }
        guard let action = all.first(where: { $0.words == "\(what) \(second)" }) else {
            throw UsageError("usage.noSuchAction", ["what": what, "action": second], command: command)
        }
        return (action, try action.checked(Array(operands.dropFirst(2)), command))
    }

    private func checked(_ operands: [String], _ command: Command) throws -> [String] {
        if operands.count < count.lowerBound {
            throw UsageError(missing, ["operand": words == "email" ? "ADDRESS" : "ID"], command: command)
        }
        guard operands.count <= count.upperBound else {
            throw UsageError("usage.tooMany", ["command": "\(command.name) \(words)"], command: command)
        }
        return operands
    }
}

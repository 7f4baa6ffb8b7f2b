import Latchkey
import LatchkeyJSON
import LatchkeySupabase

/// The mail address and the telephone number.
extension SupabaseDesk {
    func changeEmail() async throws {
        let address = operands[0]
        guard address.contains("@") else { throw UsageError("usage.mailAddress", command: arguments.command) }
        var update = SupabaseUserUpdate()
        update.email = address
        try await change(update, to: address)
    }

    func changePhone() async throws {
        let number = operands[0]
        guard Self.digits(number).count > 3, number.allSatisfy({ $0.isNumber || " +-()".contains($0) }) else {
            throw UsageError("usage.phoneNumber", command: arguments.command)
        }
        var update = SupabaseUserUpdate()
        update.phone = Self.digits(number)
        try await change(update, to: number)
    }

    private func change(_ update: SupabaseUserUpdate, to address: String) async throws {
        let user = try await ask { handle throws(AuthError) in try await handle.update(update) }
        let waiting = update.email == nil ? user.newPhone.map { "+\($0)" } : user.newEmail
        guard let waiting, Self.isSame(waiting, address) else { return try showChanged(address) }
        guard arguments.has(.codeFromInput) || asks && !arguments.has(.keepForLater) else {
            return try showWaiting(waiting, for: waiting, key: "supabase.confirmSent", old: user.email)
        }
        try await confirm(waiting, of: user)
    }

    /// Confirms a change that waits: the named address, or the only one.
    func confirm() async throws {
        let user = try await ask { handle throws(AuthError) in try await handle.user() }
        let open = [user.newEmail, user.newPhone.map { "+\($0)" }].compactMap(\.self)
        let candidates = open + (user.newEmail == nil ? [] : [user.email].compactMap(\.self))
        guard let named = operands.first else {
            guard open.count < 2 else {
                throw UsageError("usage.severalToConfirm", hint: .run(line("supabase user")))
            }
            guard let only = open.first else { throw nothingOpen }
            return try await confirm(only, of: user)
        }
        guard let found = candidates.first(where: { Self.isSame($0, named) }) else { throw nothingOpen }
        try await confirm(found, of: user)
    }

    private var nothingOpen: ToolError {
        ToolError(.refused(.other), "error.nothingToConfirm", hint: .run(line("supabase user")))
    }

    /// Asks for the code that was sent to `first`, and then for the other address's if the service wants both.
    private func confirm(_ first: String, of user: SupabaseUser) async throws {
        guard !(try await isComplete(first)) else { return try showChanged(user.newAddress(beside: first)) }
        // Half of a change of the mail address: the other address has its own code.
        guard let new = user.newEmail, let other = Self.isSame(first, new) ? user.email : new else {
            return try showChanged(first)
        }
        let isOneCommand = arguments.operands.first != "confirm"
        guard asks && !arguments.has(.codeFromInput) || isOneCommand && arguments.has(.codeFromInput) else {
            return try showWaiting(other, for: new, key: "supabase.confirmOther", old: first)
        }
        guard try await isComplete(other) else {
            return try showWaiting(first, for: new, key: "supabase.confirmOther", old: other)
        }
        try showChanged(new)
    }

    private func isComplete(_ address: String) async throws -> Bool {
        try await corrected {
            let code = try await code(.code(over: address.contains("@") ? .mail : .sms, sentTo: address))
            return try await ask { handle throws(AuthError) in
                try await handle.confirm(address.contains("@") ? address : Self.digits(address), code: code)
            }
        }
    }

    /// Sends again what is not confirmed.
    func resend() async throws {
        let user = try await ask { handle throws(AuthError) in try await handle.user() }
        var open: [(message: SupabaseMessage, address: String)] = []
        if let mail = user.newEmail { open.append((.emailChange, mail)) }
        if let number = user.newPhone { open.append((.phoneChange, "+\(number)")) }
        if let mail = user.email, !user.isEmailConfirmed { open.append((.signUp, mail)) }
        if let number = user.phone, !user.isPhoneConfirmed { open.append((.phone, "+\(number)")) }
        if let named = operands.first { open.removeAll { !Self.isSame($0.address, named) } }
        guard open.count < 2 else { throw UsageError("usage.severalToConfirm", hint: .run(line("supabase user"))) }
        guard let found = open.first else { throw nothingOpen }
        try await ask { handle throws(AuthError) in try await handle.resend(found.message) }
        try show(
            ["sentTo": .string(found.address)], [invocation.texts("supabase.sentTo", ["address": found.address])])
    }

    private func showChanged(_ address: String) throws {
        try show(
            ["address": .string(address), "confirmed": true],
            [invocation.texts("supabase.contactChanged", ["address": address])])
    }

    /// Shows that a change waits for the code that was sent to `address`.
    ///
    /// - Parameter old: The address now, or the one that has agreed.
    private func showWaiting(_ address: String, for new: String, key: String, old: String?) throws {
        let command = line("supabase confirm \(address.quotedForShell)")
        let words = invocation.texts(key, ["address": address, "command": command])
        let second = key == "supabase.confirmSent" && new.contains("@") ? old : nil
        try show(
            ["address": .string(new), "confirmed": false, "waitingFor": .array([.string(address)])],
            [words] + (second.map { [invocation.texts("supabase.oldAddressToo", ["address": $0])] } ?? []))
    }

    private static func digits(_ number: String) -> String { number.filter { ("0"..."9").contains($0) } }

    /// Whether two texts name one address or number, as the service compares them.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.contains("@") || other.contains("@") else { return digits(one) == digits(other) }
        return one.lowercased() == other.lowercased()
    }
}

extension SupabaseUser {
    /// The address that a confirmation of `address` makes the account's own.
    fileprivate func newAddress(beside address: String) -> String {
        address.contains("@") ? newEmail ?? address : address
    }
}

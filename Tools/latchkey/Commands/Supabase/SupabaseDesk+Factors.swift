import Latchkey
import LatchkeyJSON
import LatchkeySupabase

extension SupabaseDesk {
    static let tries = 3
    private static let codeLimit = 256

    /// Returns a factor for programs.
    static func json(_ factor: SupabaseFactor) -> JSON {
        var members: [String: JSON] = [
            "id": .string(factor.id), "type": .string(factor.type), "verified": .bool(factor.isVerified),
        ]
        members["name"] = factor.name.map(JSON.string)
        members["phone"] = factor.phone.map(JSON.string)
        return .object(members)
    }

    /// Lists the factors.
    func listFactors() async throws {
        let factors = try await workplace.waiting("progress.asking") { _ throws(AuthError) in try await handle.factors()
        }
        try invocation.show(
            ["factors": .array(factors.map(Self.json)), "profile": .string(workplace.profile.name)],
            factors.isEmpty
                ? [
                    invocation.texts(
                        "supabase.noFactors",
                        ["command": invocation.line("supabase factors enroll", for: workplace.profile.name)])
                ]
                : Columns.lines(
                    factors.map { factor in
                        let words = [
                            factor.type, factor.name, factor.phone,
                            factor.isVerified ? nil : invocation.texts("supabase.unverified"),
                        ]
                        return (factor.id, words.compactMap(\.self).joined(separator: "  "))
                    }))
        if let left = factors.first(where: { !$0.isVerified }), !invocation.arguments.has(.json) {
            invocation.console.note(invocation.texts("supabase.left", ways(left.id)))
        }
    }

    /// Begins a factor, shows the key for the app, and asks for the first code if a person is there.
    func enroll() async throws {
        let arguments = invocation.arguments
        let (name, phone) = (arguments[.factorName], arguments[.phone])
        let names = name.map { [$0] } ?? usualNames
        let begun = try await workplace.waiting("progress.asking") { _ throws(AuthError) in
            try await begin(names, phone)
        }
        try show(begun)
        guard !arguments.has(.json), !arguments.has(.keepForLater), Presenters.hasTerminal else {
            return try invocation.say(
                invocation.texts(
                    "supabase.prove",
                    ["command": "latchkey supabase factors verify \(begun.id) --profile \(workplace.profile.name)"]))
        }
        do { try await prove(begun.id, type: begun.type, sentTo: phone) } catch {
            invocation.console.note(invocation.texts("supabase.left", ways(begun.id)))
            throw error
        }
    }

    /// Begins a factor under the first of these names that no other factor of the person has. The service does not take a
    /// second one without a name either.
    private func begin(_ names: [String], _ phone: String?) async throws(AuthError) -> SupabaseEnrolment {
        for name in names.dropLast() {
            do throws(AuthError) { return try await begin(name, phone) } catch {
                guard error.supabase == .mfaFactorNameConflict else { throw error }
            }
        }
        return try await begin(names.last ?? "", phone)
    }

    private func begin(_ name: String, _ phone: String?) async throws(AuthError) -> SupabaseEnrolment {
        if let phone { return try await handle.enrollPhone(phone, name: name) }
        return try await handle.enrollTOTP(name: name)
    }

    /// What a factor is called if the person names none: where and when it was begun, so that they know it again.
    private var usualNames: [String] {
        let day = AccountReport.text(invocation.world.clock.wall()).prefix(10)
        let host = HostName.current.map { invocation.texts("supabase.factorName", ["host": $0, "day": String(day)]) }
        let name = host ?? String(day)
        return [name] + (2...9).map { "\(name) (\($0))" }
    }

    private func ways(_ id: String) -> [String: String] {
        let profile = workplace.profile.name
        return [
            "verify": invocation.line("supabase factors verify \(id)", for: profile),
            "remove": invocation.line("supabase factors unenroll \(id)", for: profile),
        ]
    }

    private func show(_ begun: SupabaseEnrolment) throws {
        if invocation.arguments.has(.json) {
            var members: [String: JSON] = [
                "factor": .string(begun.id), "type": .string(begun.type), "profile": .string(workplace.profile.name),
            ]
            members["uri"] = begun.uri.map { .string($0.revealText()) }
            members["secret"] = begun.secret.map { .string($0.revealText()) }
            return try invocation.show(.object(members), [])
        }
        if let picture = begun.uri.flatMap(Presenters.picture) {
            try invocation.say(invocation.texts("supabase.scan"))
            // The picture's colours are control characters, and they are this program's own.
            try invocation.console.write(.output, Array((picture.joined(separator: "\n") + "\n").utf8))
        }
        if let secret = begun.secret {
            try invocation.say(invocation.texts("supabase.type", ["secret": secret.revealText()]))
        }
        try invocation.say(invocation.texts("supabase.factor", ["id": begun.id]))
    }

    /// Verifies a factor: the named one, or the only one.
    func verify() async throws {
        let factors = try await workplace.waiting("progress.asking") { _ throws(AuthError) in try await handle.factors()
        }
        let candidates = factors.contains { !$0.isVerified } ? factors.filter { !$0.isVerified } : factors
        let found = operands.isEmpty ? candidates.first : factors.first { $0.id == operands[0] }
        guard !operands.isEmpty || candidates.count < 2 else {
            throw UsageError(
                "usage.severalFactors",
                hint: ToolText(
                    "hint.factorID", ["command": invocation.line("supabase factors", for: workplace.profile.name)]))
        }
        guard let found else { throw ToolError(.refused(.other), "error.noFactor") }
        try await prove(found.id, type: found.type, sentTo: found.phone)
    }

    private func prove(_ id: String, type: String, sentTo phone: String?) async throws {
        guard [SupabaseFactor.totp, SupabaseFactor.phone].contains(type) else {
            throw ToolError(.configuration(.unsupported), "error.factorType", ["type": type])
        }
        let ask: Ask = type == SupabaseFactor.phone ? .code(over: .sms, sentTo: phone) : .totp
        // No message is sent whose code could not be given.
        guard arguments.has(.codeFromInput) || Presenters.hasTerminal else { throw TerminalQuestion(ask).unasked() }
        // A phone gets its message first; an app needs none.
        let challenge = type == SupabaseFactor.phone ? try await handle.challenge(id) : nil
        try await corrected {
            let code = try await code(ask)
            if let challenge {
                try await handle.verify(challenge, code: code)
            } else {
                try await handle.verify(factor: id, code: code)
            }
        }
        try invocation.show(
            ["factor": .string(id), "profile": .string(workplace.profile.name)],
            [invocation.texts("supabase.verified")])
    }

    /// Lets a person at the terminal correct a wrong code.
    func corrected<Result>(_ work: () async throws -> Result) async throws -> Result {
        var left = arguments.has(.codeFromInput) ? 1 : Self.tries
        while true {
            left -= 1
            do {
                return try await work()
            } catch let error as AuthError where error.code == .refused(.wrongInput) && left > 0 {
                tell(error)
            }
        }
    }

    /// Returns a code, from standard input if an option says so, else from the person.
    ///
    /// - Throws: `configuration(.unsupported)` without a terminal, with what would have been asked.
    func code(_ ask: Ask) async throws -> Secret {
        if arguments.has(.codeFromInput) { return try inputLine(Self.codeLimit) }
        guard case .code(let code) = try await Presenters.ask(TerminalQuestion(ask), as: ask, invocation) else {
            throw ToolError(.declined, "error.codeDeclined")
        }
        return code
    }

    /// Removes a factor.
    func unenroll() async throws {
        let id = operands[0]
        try await workplace.waiting("progress.removing") { _ throws(AuthError) in try await handle.unenroll(id) }
        try invocation.show(
            ["factor": .string(id), "profile": .string(workplace.profile.name)],
            [invocation.texts("supabase.factorRemoved", ["id": id])])
    }
}

public import Latchkey
import LatchkeySystem

/// The contract of every ``/Latchkey/UnlockAuthenticator``.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | asking whether it is available never prompts | the prompts that the situation counts |
/// | a right proof gives a grant, dated while it was asked for, that says how | `right` |
/// | a wrong proof is refused(.wrongInput) | `wrong` |
/// | the person's no is declined | `declined` |
/// | where it cannot ask it says so beforehand, and throws unlockUnavailable | `unavailable` |
/// | cancelling the task ends the prompt with CancellationError | `unanswered` |
/// | a released key is the same each time, and never prints | `right`, for ``/Latchkey/KeyReleasing`` |
/// | after its limit of wrong proofs it is locked out, and says so | `wrong`, if a ``Limit`` is given |
/// | wrong proofs are counted across instances | the same |
/// | whoever is locked out is not let in by a right proof | the same, given to another instance |
/// | a right proof begins the count anew | the same |
/// | two instances at once count each wrong proof | the same, eight rounds; on a slow disk, with one try left |
/// | two instances at once give a grant each, and the same key | `right`, if a ``Limit`` is given |
/// | a no and a cancelled prompt neither count as a try nor reset the count | `declined`, `unanswered`, if a ``Limit`` is given |
/// | asking whether it is available changes nothing | between wrong proofs, if a ``Limit`` is given |
/// | a lock-out outlasts a clock that jumps and a restart of the machine | `right`, ten years later and earlier, and after a restart |
/// | wrong proofs are counted where the next process finds them | what is written, if anything is written at all |
/// | no proof is judged that cannot be counted | a disk that is full, from each step of writing on, if a ``Limit`` is given |
/// | no proof is judged while another process holds the lock | `right` and `wrong` on a disk whose locks are taken |
/// | what is kept and damaged is neither absent nor new | each file that is read: cut, emptied, garbled, each member of a JSON document gone, of another type, negative; or as `damaging` does it |
/// | what is kept and cannot be read is neither absent nor new | a disk that does not read, for a while |
/// | a wrong proof releases no key that opens | `wrong` after `right`, for ``/Latchkey/KeyReleasing``, if a ``Limit`` is given |
/// | another error of what the key opens is thrown as it is, and is no wrong proof | a store that is not there, for ``/Latchkey/KeyReleasing`` |
/// | each proof is asked for anew, with the reason that the prompt gives | if ``Typing`` is given: a wrong proof after a right one |
/// | only the whole proof is right | the same: nothing, less, more, other letters, over and over |
/// | a proof that works once does not work twice | the same, if it works once |
/// | a proof that comes after the prompt was cancelled is not taken | the same: right and wrong ones |
/// | a cancelled prompt is closed | the same |
/// | a prompt that fails is neither a no nor a try | the same |
/// | nobody is asked who cannot be let in | the same, locked out |
/// | a grant is dated when the proof was given | the same, typed after an hour |
/// | what is typed is neither shown nor written down | the same: errors, grants, the authenticator itself, files |
///
/// To leave out a situation that you cannot arrange for your authenticator, return `nil`. The faults of the disk and of
/// the clock come through the context that your closures get: an authenticator that takes none has none of them.
public struct UnlockContract<Authenticator: UnlockAuthenticator>: Sendable {
    /// What the person and the device do.
    public enum Situation: String, CaseIterable, Sendable {
        /// The person gives the right proof, as often as asked.
        case right
        /// The person gives a wrong proof.
        case wrong
        /// The person says no.
        case declined
        /// The device cannot ask.
        case unavailable
        /// The person does nothing.
        case unanswered
    }

    let context: PluginContext
    let limit: Limit?
    let damaging: (@Sendable (Authenticator, PluginContext) async throws -> Void)?
    private let typing: Typing?
    private let prompts: (@Sendable (Authenticator) -> Int)?
    let opening: @Sendable (UnlockKey) async throws -> Void
    private let make: @Sendable (Situation, PluginContext) async throws -> Authenticator?
    let clauses: Clauses
    static var wrongProofClause: String { "a wrong proof is refused(.wrongInput)" }
    let prompt = UnlockPrompt(reason: "Show your notes")

    /// Creates a contract over the authenticators that `make` creates.
    ///
    /// - Parameters:
    ///   - context: Time, randomness and files. Default: the system.
    ///   - prompts: Returns how often the person was asked; `nil` if that is unknown.
    ///   - limit: How many wrong proofs it accepts; `nil` means any number, or that the device counts
    ///     by itself.
    ///   - typing: How to create an authenticator for which the contract types; `nil` if nothing is typed.
    ///   - damaging: Damages what the given authenticator keeps, so that it can still be found, for one that does not
    ///     keep it in the context's files.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - opening: Opens what the key opens, as a store does, for an authenticator that cannot judge
    ///     the proof by itself. It throws `refused(.wrongInput)` for the key of a wrong proof.
    ///   - make: Creates what is tested, over what nothing else uses. It is called at least once for each clause.
    public init(
        context: PluginContext = .system, prompts: (@Sendable (Authenticator) -> Int)? = nil, limit: Limit? = nil,
        typing: Typing? = nil,
        damaging: (@Sendable (Authenticator, PluginContext) async throws -> Void)? = nil,
        timeLimit: Duration = ClauseLimit.standard,
        opening: @escaping @Sendable (UnlockKey) async throws -> Void = { _ in },
        _ make: @escaping @Sendable (Situation, PluginContext) async throws -> Authenticator?
    ) {
        self.context = context
        self.prompts = prompts
        self.limit = limit
        self.typing = typing
        self.damaging = damaging
        self.opening = opening
        self.make = make
        clauses = Clauses(contract: "UnlockContract", limit: timeLimit)
    }

    /// Checks every clause.
    public func run() async throws {
        try await clause("asking whether it is available never prompts", .right) { authenticator in
            try expect(await authenticator.availability() == .available, "it says that it cannot ask")
            if let prompts { try expect(prompts(authenticator) == 0, "the person was asked") }
        }
        try await clause("a right proof gives a grant, dated while it was asked for, that says how", .right) {
            let before = context.clock.now()
            let grant = try await ask($0)
            try expect(grant.provenAt >= before && grant.provenAt <= context.clock.now(), "the date is another")
            try expect(!grant.method.isEmpty, "it does not say how")
            if let prompts { try expect(prompts($0) == 1, "the person was asked \(prompts($0)) times") }
        }
        try await refuses(Self.wrongProofClause, .wrong) { $0 == .refused(.wrongInput) }
        try await refuses("the person's no is declined", .declined) { $0 == .declined }
        let unavailable = "where it cannot ask it says so beforehand, and throws unlockUnavailable"
        try await clause(unavailable, .unavailable) {
            try expect(await $0.availability() != .available, "it says that it can ask")
        }
        try await refuses(unavailable, .unavailable) { if case .unlockUnavailable = $0 { true } else { false } }
        try await clause("cancelling the task ends the prompt with CancellationError", .unanswered) { authenticator in
            try await expectCancellation { _ = try await ask(authenticator) }
        }
        try await clause("a released key is the same each time, and never prints", .right) { authenticator in
            guard let releasing = authenticator as? any KeyReleasing else { return }
            let (grant, key) = try await key(of: releasing)
            try expect(!key.isEmpty, "the key is empty")
            try expect(try await self.key(of: releasing).key == key, "the key was another the second time")
            try expect(!Printed.shows(key, in: grant), "the grant shows the key")
        }
        if let limit {
            try await limited(limit)
            try await counted(limit)
        }
        try await troubled()
        try await released()
        if let typing { try await typed(typing) }
    }

    /// Asks as the engine does: an authenticator that releases a key is asked for it.
    func ask(_ authenticator: Authenticator) async throws -> UnlockGrant {
        guard let releasing = authenticator as? any KeyReleasing else { return try await authenticator.unlock(prompt) }
        return try await key(of: releasing).grant
    }

    /// Asks, and returns the code of the error; `nil` for a grant.
    func code(of authenticator: Authenticator) async throws -> AuthError.Code? {
        do {
            _ = try await ask(authenticator)
            return nil
        } catch let error as AuthError {
            return error.code
        } catch is CancellationError {
            return .cancelled
        }
    }

    /// Returns what the author makes, which is never `nil` in the situations `right` and `wrong`.
    func made(_ situation: Situation, _ context: PluginContext) async throws -> Authenticator? {
        try await clauses.given("what makes an authenticator") { try await make(situation, context) }
    }

    /// Returns the grant and the key that came with it.
    func key(of releasing: any KeyReleasing) async throws -> (grant: UnlockGrant, key: Secret) {
        let released = Locked<Secret?>(nil)
        let grant = try await releasing.unlock(prompt) { [opening] key in
            try await opening(key)
            released.withLock { $0 = key.secret }
        }
        guard let key = released.withLock({ $0 }) else { throw Broken("it gave a grant and no key") }
        return (grant, key)
    }

    func clause(
        _ clause: String, _ situation: Situation, over other: PluginContext? = nil,
        _ body: @escaping @Sendable (Authenticator) async throws -> Void
    ) async throws {
        try await clauses.clause(clause) {
            guard let authenticator = try await made(situation, other ?? context) else { return }
            try await body(authenticator)
        }
    }

    private func refuses(
        _ text: String, _ situation: Situation, where accepts: @escaping @Sendable (AuthError.Code) -> Bool
    ) async throws {
        try await clause(text, situation) { authenticator in
            try await expectError("what it should", where: accepts) { _ = try await ask(authenticator) }
        }
    }
}

/// Throws ``Broken`` unless `body`, cancelled soon after it began, throws `CancellationError`.
func expectCancellation(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    for _ in 1...16 { await Task.yield() }
    task.cancel()
    do {
        try await task.value
    } catch is CancellationError {
        return
    } catch let error as AuthError where error.code == .cancelled {
        return
    } catch {
        throw Broken("it threw \(Clauses.shown(error)) and not CancellationError")
    }
    throw Broken("it went on to the end")
}

/// The text that printing a value in every way shows.
enum Printed {
    static func shows(_ secret: Secret, in value: Any) -> Bool {
        guard secret.count >= 4 else { return false }
        return text(of: value).contains(secret.revealText())
    }

    static func text(of value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }
}

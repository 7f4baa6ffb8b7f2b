public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit

/// Asks for a passphrase or a PIN that the person has chosen here, and releases no key: a lock for the app, over any store
/// that no key opens. It keeps people out of the app, and not out of the files.
///
/// ```swift
/// let lock = PresenceUnlock(.pin, in: folder) { request in
///     request.isNew ? try await screen.newPIN(request.reason) : try await screen.pin(request.reason)
/// }
/// let auth = try AuthClient.Builder().provider(provider).store(store).transport(.curl())
///     .unlock(lock, reason: "Show your notes", policy: UnlockPolicy(enrolment: .offered)).build()
/// try await auth.setUnlockEnabled(true)      // the person chooses the PIN
/// ```
///
/// | Case | What happens |
/// | --- | --- |
/// | Nothing is set up | `unlockUnavailable(.notEnrolled)`; with ``init(_:in:name:shortest:waits:setsUpAtFirstUnlock:context:asking:)``'s `setsUpAtFirstUnlock` the person chooses it then |
/// | What was typed is wrong | `refused(.wrongInput)`; counted across all processes: ``AttemptLimit`` |
/// | Too many wrong ones | `unlockUnavailable(.lockedOut)` with the wait; the person is not asked |
/// | The chosen one is too short | `configuration(.invalid)`, saying how many characters are missing; ask again |
/// | The file is damaged | `unlockUnavailable(.invalidated)`: the person signs in again, ``/Latchkey/AuthClient/startOver()`` |
///
/// Kept in the folder is a salted hash, stretched by scrypt (RFC 7914). Somebody who can read it can try all PINs; somebody
/// who can write it can remove the lock, and could read the sessions all the same.
public struct PresenceUnlock: EnrollingUnlock, ConfigurationChecking {
    private let typed: TypedKey
    private let limit: AttemptLimit
    private let proof: PresenceProof
    private let shortest: Int
    private let setsUpAtFirstUnlock: Bool

    /// Creates a lock whose hash and count of tries are in `directory`.
    ///
    /// - Parameters:
    ///   - kind: What the person types: `passphrase` or `pin`.
    ///   - directory: An absolute path of a directory that only this user can access. It is made when it is needed.
    ///   - name: What the lock is for, as part of files' names.
    ///   - shortest: The fewest characters that may be chosen; `nil` for 4 of a PIN and 8 of a passphrase.
    ///   - waits: How long to wait after none, one, two … wrong tries.
    ///   - setsUpAtFirstUnlock: Whether the person chooses it at the first unlock. Use it with
    ///     ``/Latchkey/UnlockPolicy/Enrolment/required``, where nobody switches the unlock on.
    ///   - context: Time, randomness and files. Default: the system.
    ///   - asking: Shows the request, and returns what the person types. If ``SecretRequest/isNew`` is true the person
    ///     chooses it, so have them type it twice.
    public init(
        _ kind: SecretRequest.Kind = .passphrase, in directory: String, name: String = "presence", shortest: Int? = nil,
        waits: [Duration] = AttemptLimit.usualWaits, setsUpAtFirstUnlock: Bool = false,
        context: PluginContext = .system, asking: @escaping SecretAsking
    ) {
        limit = AttemptLimit(in: directory, name: name, waits: waits, context: context)
        typed = TypedKey(kind: kind, limit: limit, context: context, asking: asking)
        proof = PresenceProof(directory: directory, name: name, context: context)
        self.shortest = shortest ?? (kind == .pin ? 4 : 8)
        self.setsUpAtFirstUnlock = setsUpAtFirstUnlock
    }

    /// See ``/Latchkey/ConfigurationChecking``.
    public func checkConfiguration() throws(AuthError) { try limit.checkConfiguration() }

    /// Returns whether something is set up, and a try is left now.
    public func availability() -> UnlockAvailability {
        do {
            switch try proof.found() {
            case .none: return setsUpAtFirstUnlock ? .available : .notEnrolled
            case .damaged: return .invalidated
            case .sound: return typed.availability()
            }
        } catch {
            return .missing(reason: (error as? AuthError)?.message ?? "what is compared cannot be read")
        }
    }

    /// Asks for what was chosen, and compares it.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        switch try proof.found() {
        case .none:
            guard setsUpAtFirstUnlock else {
                throw AuthError(.unlockUnavailable(.notEnrolled), "Nothing has been chosen to unlock with.")
            }
            return try await enrol(prompt)
        case .damaged: throw AuthError(.unlockUnavailable(.invalidated), "What was chosen cannot be compared any more.")
        case .sound(let expected):
            return try await typed.unlock(prompt, method: typed.kind.rawValue) { typed in
                guard try expected.isRight(typed) else {
                    throw AuthError(.refused(.wrongInput), "What was typed is wrong.")
                }
            }
        }
    }

    /// Has the person choose it. An older one is replaced once the new one is kept.
    public func enrol(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        guard let chosen = try await typed.asking(SecretRequest(typed.kind, reason: prompt.reason, isNew: true)) else {
            throw AuthError(.declined, "The person said no.")
        }
        try Task.checkCancellation()
        try PassphraseRule(shortest: shortest).check(chosen)
        try proof.keep(chosen)
        try await limit.forget()
        return UnlockGrant(provenAt: typed.context.clock.now(), method: typed.kind.rawValue)
    }

    /// Removes what was chosen, and the count of tries.
    public func withdraw() async throws {
        try proof.remove()
        try await limit.forget()
    }
}

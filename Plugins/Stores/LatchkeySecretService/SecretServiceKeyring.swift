public import Latchkey
import FoundationEssentials
import LatchkeyCrypto
import LatchkeySystem

/// The keyring of the desktop: the default collection of the service on the session bus that implements the
/// freedesktop.org Secret Service specification 0.2, such as gnome-keyring or KeePassXC.
///
/// | Case | What happens |
/// | --- | --- |
/// | Built without the trait `SecretService`, no libsecret, no bus, no service, no default collection | ``availability()`` says `missing` with the reason; every call throws `store(.unavailable)` |
/// | The keyring is locked, or locks meanwhile | throws `locked`; never "nothing is there" |
/// | No answer within two seconds | throws `store(.unavailable)`, "the keyring does not answer" |
/// | Prompts | only by ``unlockKeyring(deadline:)`` |
/// | Two items under one name | `store(.damaged)` |
///
/// Each call has its own thread and a connection that no other call uses meanwhile, so that a service that hangs,
/// ends or restarts holds up nothing else. A few connections are kept for the next calls, because gnome-keyring can
/// crash when many clients connect and leave. Secrets are encrypted on the bus if the service supports it.
///
/// The attributes of items are on disk unencrypted, or as plain MD5 (gnome-keyring). They hold the application, the
/// kind, and SHA-256 over application, kind and name. So a name, such as an email address, cannot be read there,
/// but someone who guesses one can confirm the guess. Any program of the same user can read an open keyring.
public struct SecretServiceKeyring: Sendable {
    /// The longest time that one call takes.
    public static let callDeadline = Duration.seconds(2)

    /// The application that the items belong to.
    public let application: String
    let busAddress: String?
    let context: PluginContext

    /// Creates a keyring for the items of `application`, such as `com.example.notes`.
    ///
    /// - Parameters:
    ///   - application: Separates the items of one application from those of others.
    ///   - busAddress: A D-Bus address, such as `unix:path=/run/user/1000/bus`. If `nil`, the address
    ///     is `DBUS_SESSION_BUS_ADDRESS`, or `$XDG_RUNTIME_DIR/bus`. No bus is ever started.
    ///   - context: Time, randomness and files. Default: the system.
    public init(application: String, busAddress: String? = nil, context: PluginContext = .system) {
        (self.application, self.busAddress, self.context) = (application, busAddress, context)
    }

    /// Returns whether the keyring can be asked now, which is so for a locked one too. Never prompts; takes at most
    /// two seconds.
    public func availability() async -> UnlockAvailability {
        do {
            _ = try await ask { try $0.collection() }
            return .available
        } catch let error as AuthError {
            return .missing(reason: error.message)
        } catch {
            return .missing(reason: KeyringProblem.other.sentence)
        }
    }

    /// Returns whether the default collection is locked.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.unavailable)`.
    public func isLocked() async throws -> Bool { try await ask { try $0.isLocked($0.collection()) } }

    /// Lets the keyring ask the person to unlock it, in its own window. Returns at once if it is open.
    ///
    /// - Parameter deadline: How long to wait for the person.
    /// - Throws: ``/Latchkey/AuthError`` `declined` when the person says no; `store(.unavailable)` at the deadline, or when
    ///   the keyring cannot ask.
    public func unlockKeyring(deadline: Duration = .seconds(120)) async throws {
        let isOpen = try await ask(deadline: deadline) { keyring in
            let collection = try keyring.collection()
            return try !keyring.isLocked(collection) || keyring.unlock(collection)
        }
        guard isOpen else { throw AuthError(.declined, "the keyring was not unlocked") }
    }
}

extension SecretServiceKeyring {
    func attributes(_ kind: String, _ name: String?) -> ItemAttributes {
        ItemAttributes(application: application, kind: kind, name: name.map { digest(kind, $0) })
    }

    func digest(_ kind: String, _ name: String) -> String {
        Base64URL.encode(Hash.digest(Array("latchkey\u{0}\(application)\u{0}\(kind)\u{0}\(name)".utf8)))
    }

    var label: String { "Latchkey: \(application)" }

    /// Calls `body` on its own thread, with a connection that it has alone. Ends at the deadline, whatever the
    /// service does. Continues if the task is cancelled, because a call that is under way may have changed
    /// something.
    func ask<Value: Sendable>(
        deadline: Duration = Self.callDeadline,
        _ body: @escaping @Sendable (KeyringConversation) throws -> Value
    ) async throws -> Value {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        guard KeyringConversation.isBuiltIn else { throw KeyringProblem.notBuiltIn.error }
        guard let address = busAddress ?? Self.sessionBus() else { throw KeyringProblem.noBus.error }
        let end = context.clock.now() + deadline
        return try await withCheckedContinuation { continuation in
            context.start("keyring call") { [clock = context.clock] in
                continuation.resume(returning: await Self.run(at: address, until: end, by: clock, body))
            }
        }.get()
    }

    private static func run<Value: Sendable>(
        at address: String, until end: MonotonicInstant, by clock: any AuthClock,
        _ body: @escaping @Sendable (KeyringConversation) throws -> Value
    ) async -> Result<Value, any Error> {
        let stop: KeyringStop
        do { stop = try KeyringStop() } catch { return .failure((error as? KeyringProblem)?.error ?? error) }
        let call = OneAnswer<Value>()
        let isStarted = DetachedThread.start {
            call.give(Result { try KeyringConversations.use(at: address, stop: stop, body) })
        }
        guard isStarted else {
            return .failure(AuthError(.store(.unavailable), "there is no thread to ask the keyring"))
        }
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await clock.sleep(until: end) } catch { return }
                call.give(.failure(KeyringProblem.noAnswer))
                stop.stop()
            }
            defer { group.cancelAll() }
            return await call.answer()
        }
        return result.mapError { ($0 as? KeyringProblem)?.error ?? $0 }
    }

    /// The address of the session's bus. Starts no bus.
    static func sessionBus(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            return address.hasPrefix("autolaunch:") ? nil : address
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.first == "/",
            (try? SystemFiles().status("\(folder)/bus")) != nil
        else { return nil }
        return "unix:path=\(folder)/bus"
    }
}

/// Keeps the first of several answers, and drops the others.
private final class OneAnswer<Value: Sendable>: Sendable {
    private struct State {
        var answer: Result<Value, any Error>?
        var waiter: CheckedContinuation<Result<Value, any Error>, Never>?
    }
    private let state = Locked(State())

    func give(_ answer: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Result<Value, any Error>, Never>? in
            guard state.answer == nil else { return nil }
            state.answer = answer
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: answer)
    }

    func answer() async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state in
                if state.answer == nil { state.waiter = continuation }
                return state.answer
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}

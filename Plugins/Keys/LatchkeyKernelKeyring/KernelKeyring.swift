public import Latchkey
import LatchkeyCrypto

/// Keeps small secrets in the memory of the Linux kernel, by name, for one user and one application: keyrings(7).
///
/// | Case | What happens |
/// | --- | --- |
/// | Nothing under the name, or it has expired or was revoked | `nil` |
/// | The kernel has no keyring, or the container forbids it (Docker's filter does) | `store(.unavailable)`; ``availability()`` says `missing` |
/// | The user has 200 keys, or 20,000 bytes of them (the kernel's usual limits) | `store(.full)` |
/// | The key exists but this session does not hold it | `store(.unavailable)`; never `nil` |
/// | `set` over a value | the new value replaces the old one at once, with its own time to live |
/// | Restart of the machine | everything is gone |
///
/// Only processes whose session holds the user's ring can read a key. Services, cron and some ssh sessions do not
/// hold it, so this type links the ring to the session first. Another program of the same user can do the same:
/// this protects against other users and against programs that read disks, not against this user's own programs.
/// The kernel lists the names of keys in `/proc/keys`, so the name there is the first 128 bits of a SHA-256 over
/// the application and the name. Someone who guesses a name can confirm the guess.
public struct KernelKeyring: Sendable {
    /// Where the kernel keeps the keys.
    @nonexhaustive
    public enum Place: Hashable, Sendable {
        /// With the user (`@u`): until the user's last process ends.
        case user
        /// With the user's persistent ring: also after a logout, by default until three days after the last use.
        case persistent
    }

    /// The most bytes of a value.
    public static let valueLimit = 64

    /// The application that the keys belong to.
    public let application: String
    /// Where the kernel keeps the keys.
    public let place: Place
    /// How long a value lasts after it was set, in whole seconds, rounded up; `nil` for as long as its place.
    public let timeToLive: Duration?
    let calls: KernelCalls

    /// Creates a keyring for the keys of `application`, such as `com.example.notes`.
    ///
    /// - Parameters:
    ///   - application: Separates the keys of one application from those of others.
    ///   - place: Which of the kernel's keyrings keeps them.
    ///   - timeToLive: How long a value lasts. The kernel counts by its own clock and removes the
    ///     value.
    public init(application: String, place: Place = .user, timeToLive: Duration? = nil) {
        self.init(application: application, place: place, timeToLive: timeToLive, calls: .system)
    }

    init(application: String, place: Place, timeToLive: Duration?, calls: KernelCalls) {
        (self.application, self.place, self.timeToLive, self.calls) = (application, place, timeToLive, calls)
    }

    /// Returns whether the kernel can be asked.
    public func availability() -> UnlockAvailability {
        #if os(Linux)
            do {
                _ = try ring()
                _ = try find(name(of: ""))
                return .available
            } catch let failure as KernelCalls.Failure {
                // An error about a single key does not concern the keyring.
                guard failure.isMissing else { return .available }
                return .missing(reason: failure.error.message)
            } catch {
                return .missing(reason: "the kernel keyring cannot be asked")
            }
        #else
            return .missing(reason: "only Linux has a kernel keyring")
        #endif
    }

    /// Returns the value under `name`; `nil` if there is none, or none any more.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.unavailable)`; `store(.damaged)` if another program put a longer
    ///   value there.
    public func value(_ name: String) throws -> Secret? {
        try telling {
            guard let key = try find(self.name(of: name)) else { return nil }
            // Room for one byte too many, so that a longer value is noticed.
            return try withUnsafeTemporaryAllocation(byteCount: Self.valueLimit + 1, alignment: 1) { memory in
                defer { memory.initializeMemory(as: UInt8.self, repeating: 0) }
                let address = UInt(bitPattern: memory.baseAddress)
                let count: Int
                do {
                    count = try calls.control(.read, UInt(bitPattern: key), address, UInt(memory.count), 0)
                } catch let failure as KernelCalls.Failure where failure.isAbsence {
                    return nil
                }
                guard count <= Self.valueLimit else {
                    throw AuthError(
                        .store(.damaged), "the kernel keyring holds a value of \(count) bytes, which is too long")
                }
                return Secret(copying: UnsafeRawBufferPointer(rebasing: memory[..<count]))
            }
        }
    }

    /// Keeps `value` under `name`, in place of the previous value.
    ///
    /// - Parameters:
    ///   - value: 1 to ``valueLimit`` bytes.
    ///   - name: What the value is for.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` for another length; `store(.full)`, `store(.unavailable)`.
    public func set(_ value: Secret, under name: String) throws {
        guard (1...Self.valueLimit).contains(value.count) else {
            throw AuthError(.configuration(.invalid), "a value of the kernel keyring has 1 to \(Self.valueLimit) bytes")
        }
        try telling {
            let ring = try ring()
            // Make the key where only this thread sees it, and link it into its place once its time and rights are
            // set. So no process finds a key that lives too long or is open to others, even after a failure. The
            // link replaces a namesake.
            let thread = KernelCalls.Ring.thread
            let key = try value.withBytes { try calls.add(self.name(of: name), $0, thread) }
            defer { _ = try? calls.control(.unlink, UInt(bitPattern: Int(key)), UInt(bitPattern: Int(thread)), 0, 0) }
            let id = UInt(bitPattern: Int(key))
            _ = try calls.control(.setPermissions, id, KernelCalls.possessorOnly, 0, 0)
            if let seconds { _ = try calls.control(.setTimeout, id, seconds, 0, 0) }
            _ = try calls.control(.link, id, UInt(bitPattern: ring), 0, 0)
        }
    }

    /// Removes the value under `name`. Does nothing if there is none.
    public func remove(_ name: String) throws {
        try telling {
            let ring = try ring()
            guard let key = try find(self.name(of: name)) else { return }
            _ = try calls.control(.unlink, UInt(bitPattern: key), UInt(bitPattern: ring), 0, 0)
        }
    }
}

extension KernelKeyring {
    private var seconds: UInt? {
        guard let timeToLive else { return nil }
        let (seconds, rest) = timeToLive.components
        // Zero would mean no limit.
        return UInt(max(1, min(seconds + (rest > 0 ? 1 : 0), Int64(UInt32.max))))
    }

    /// Links the ring of the place to this process's session, because its keys can be read only then, and returns
    /// it.
    private func ring() throws -> Int {
        let session = UInt(bitPattern: Int(KernelCalls.Ring.session))
        switch place {
        case .user:
            let user = Int(KernelCalls.Ring.user)
            _ = try calls.control(.link, UInt(bitPattern: user), session, 0, 0)
            return user
        case .persistent:
            // -1 is the caller's own user.
            return try calls.control(.persistent, UInt(bitPattern: -1), session, 0, 0)
        }
    }

    private func find(_ name: String) throws -> Int? {
        let ring = try ring()
        do {
            return try KernelCalls.type.withCString { type in
                try name.withCString { name in
                    try calls.control(
                        .search, UInt(bitPattern: ring), UInt(bitPattern: type), UInt(bitPattern: name), 0)
                }
            }
        } catch let failure as KernelCalls.Failure where failure.isAbsence {
            return nil
        }
    }

    /// The key's name in the kernel, as in `/proc/keys`.
    func name(of name: String) -> String {
        let bytes = Array("latchkey\u{0}\(application)\u{0}\(name)".utf8)
        return "latchkey:" + Base64URL.encode(Array(Hash.digest(bytes).prefix(16)))
    }

    private func telling<Value>(_ body: () throws -> Value) throws -> Value {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        do { return try body() } catch let failure as KernelCalls.Failure { throw failure.error }
    }
}

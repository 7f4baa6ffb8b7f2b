import Latchkey

#if os(Linux)
    import CKeyring

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif
#endif

/// The system calls of the kernel's key retention service: add_key(2), keyctl(2). Tests replace them.
///
/// A call returns what the kernel returns, or throws the kernel's error number.
struct KernelCalls: Sendable {
    /// The kernel's error number, an errno.
    struct Failure: Error, Hashable {
        var number: Int32
    }

    /// The rings that every process has, by keyrings(7).
    enum Ring {
        static let thread: Int32 = -1
        static let session: Int32 = -3
        static let user: Int32 = -4
    }

    /// The operations of keyctl(2).
    enum Operation: Int32 {
        case revoke = 3
        case setPermissions = 5
        case link = 8
        case unlink = 9
        case search = 10
        case read = 11
        case setTimeout = 15
        case persistent = 22
    }

    /// The type of keys that programs can read.
    static let type = "user"
    /// All rights for a process that has the key in one of its rings, and none for any other, including the user's
    /// other programs.
    static let possessorOnly: UInt = 0x3F00_0000

    var add: @Sendable (_ name: String, _ bytes: UnsafeRawBufferPointer, _ ring: Int32) throws -> Int32
    var control: @Sendable (_ operation: Operation, _ a: UInt, _ b: UInt, _ c: UInt, _ d: UInt) throws -> Int
}

#if os(Linux)
    extension KernelCalls {
        /// The calls of this machine's kernel.
        static let system = KernelCalls(
            add: { name, bytes, ring in
                let key = shim_add_key(type, name, bytes.baseAddress, bytes.count, ring)
                guard key >= 0 else { throw Failure(number: errno) }
                return key
            },
            control: { operation, a, b, c, d in
                let result = shim_keyctl(operation.rawValue, a, b, c, d)
                guard result >= 0 else { throw Failure(number: errno) }
                return result
            })
    }

    extension KernelCalls.Failure {
        /// Whether nothing is under the name: the key never existed, has expired, or was revoked.
        var isAbsence: Bool { [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(number) }
        /// Whether the kernel has no such service, or the container forbids it (the usual seccomp filter answers
        /// EPERM).
        var isMissing: Bool { [EPERM, ENOSYS, EOPNOTSUPP].contains(number) }

        var error: AuthError {
            switch number {
            case EDQUOT, ENOMEM: AuthError(.store(.full), "the kernel keyring has no room left for this user")
            case EACCES:
                AuthError(
                    .store(.unavailable),
                    "the kernel keyring does not let this process at the key: its session does not hold it")
            case EPERM: AuthError(.store(.unavailable), "this process may not use the kernel keyring")
            case ENOSYS, EOPNOTSUPP: AuthError(.store(.unavailable), "this kernel has no keyring")
            default: AuthError(.store(.unavailable), "the kernel keyring failed with error number \(number)")
            }
        }
    }
#else
    extension KernelCalls {
        /// Calls that refuse everything: only Linux has this service.
        static let system = KernelCalls(
            add: { _, _, _ in throw Failure(number: 0) }, control: { _, _, _, _, _ in throw Failure(number: 0) })
    }

    extension KernelCalls.Failure {
        var isAbsence: Bool { false }
        var isMissing: Bool { true }
        var error: AuthError { AuthError(.store(.unavailable), "only Linux has a kernel keyring") }
    }
#endif

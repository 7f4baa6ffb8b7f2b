/// Bytes that never reach text by accident: tokens, codes, passwords, verifiers, keys, and
/// everything a person types or a browser returns.
///
/// Printing, interpolating, mirroring and dumping give `<redacted>`. It is not `Codable` and not
/// `Hashable`, and equality takes constant time. Reading the content is explicit: search for
/// `reveal` to find every place.
///
/// The memory of the bytes is overwritten when the last copy of the value is released. That does
/// not cover what ``reveal()`` returned, nor the bytes that the value was made from.
/// ``withBytes(_:)`` lends them without a copy.
public struct Secret: Sendable {
    private let storage: SecretStorage

    /// Wraps `bytes`.
    public init(_ bytes: [UInt8]) { storage = bytes.withUnsafeBytes(SecretStorage.init) }

    /// Wraps the UTF-8 bytes of `text`.
    public init(_ text: String) {
        storage =
            text.utf8.withContiguousStorageIfAvailable { SecretStorage(UnsafeRawBufferPointer($0)) }
            ?? Array(text.utf8).withUnsafeBytes(SecretStorage.init)
    }

    /// Wraps a copy of `bytes`.
    public init(copying bytes: UnsafeRawBufferPointer) { storage = SecretStorage(bytes) }

    /// Returns the bytes. Do not print them.
    public func reveal() -> [UInt8] { Array(storage.bytes) }

    /// Returns the bytes as text; invalid UTF-8 is replaced. Do not print it.
    public func revealText() -> String { String(decoding: storage.bytes, as: UTF8.self) }

    /// Lends the bytes to `body`, which must neither keep nor print them.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try body(storage.bytes)
    }

    /// The number of bytes. Not secret.
    public var count: Int { storage.bytes.count }

    /// Whether there are no bytes.
    public var isEmpty: Bool { storage.bytes.isEmpty }
}

/// Memory that is overwritten before it is freed.
///
/// `@unchecked Sendable`: the bytes are written in `init`, before any other code can see them, and
/// in `deinit`, when no other code can see them any longer.
private final class SecretStorage: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        memory = .allocate(byteCount: bytes.count, alignment: 1)
        memory.copyMemory(from: bytes)
    }

    deinit {
        SecretMemory.wipe(memory)
        memory.deallocate()
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
}

extension Secret: Equatable {
    /// Compares every byte, even after a difference; only a different length ends early.
    public static func == (first: Secret, second: Secret) -> Bool {
        guard first.count == second.count else { return false }
        return first.withBytes { first in
            second.withBytes { second in
                var difference: UInt8 = 0
                for index in first.indices { difference |= first[index] ^ second[index] }
                return difference == 0
            }
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

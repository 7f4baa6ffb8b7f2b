import Latchkey

/// A request to an agent, or its answer: a word and a list of parts.
///
/// On the wire: the length of what follows in 4 bytes, big-endian; the protocol's number, 1; the word and each
/// part, each preceded by its length in 4 bytes.
struct AgentMessage: Sendable {
    static let version: UInt8 = 1
    /// A vault has at most 16 MiB, and one message can hold it twice.
    static let longest = 40 << 20
    static let mostParts = 64

    var word: String
    var parts: [Secret]

    init(_ word: String, _ parts: [Secret] = []) {
        self.word = word
        self.parts = parts
    }

    /// The message's bytes, with their length first.
    func bytes() -> [UInt8] {
        let all = [Secret(word)] + parts
        var bytes: [UInt8] = []
        bytes.reserveCapacity(5 + all.reduce(0) { $0 + 4 + $1.count })
        Self.append(UInt32(1 + all.reduce(0) { $0 + 4 + $1.count }), to: &bytes)
        bytes.append(Self.version)
        for part in all {
            Self.append(UInt32(part.count), to: &bytes)
            part.withBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Reads a message from the bytes after the length.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `untrusted(.malformed)`; `configuration(.unsupported)` for another protocol.
    init(_ bytes: UnsafeRawBufferPointer) throws(AuthError) {
        guard bytes.first == Self.version else {
            throw AuthError(.configuration(.unsupported), "the agent is of another version; stop it, and try again")
        }
        var rest = bytes.dropFirst()
        var parts: [Secret] = []
        while !rest.isEmpty {
            guard rest.count >= 4, parts.count <= Self.mostParts else { throw Self.malformed }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= rest.count else { throw Self.malformed }
            parts.append(Secret(copying: UnsafeRawBufferPointer(rebasing: rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        guard let word = parts.first else { throw Self.malformed }
        self.word = word.revealText()
        self.parts = Array(parts.dropFirst())
    }

    /// Returns the part at `index`.
    func part(_ index: Int) throws(AuthError) -> Secret {
        guard parts.indices.contains(index) else { throw Self.malformed }
        return parts[index]
    }

    /// Returns the number in the part at `index`.
    func number(_ index: Int) throws(AuthError) -> UInt64 {
        let part = try part(index)
        guard part.count == 8 else { throw Self.malformed }
        return part.withBytes { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    static func number(_ value: UInt64) -> Secret {
        Secret((0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) })
    }

    static var malformed: AuthError { AuthError(.untrusted(.malformed), "the agent's message has the wrong form") }

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

/// An error that an agent sends: the code's name, the sentence, and the wait.
extension AgentMessage {
    init(failure error: AuthError) {
        let wait = error.retryAfter.map { UInt64(max(0, $0.components.seconds)) }
        self.init("error", [Secret(error.code.name), Secret(error.message)] + (wait.map { [Self.number($0)] } ?? []))
    }

    /// The error in the message; `nil` for a success.
    var failure: AuthError? {
        guard word == "error" else { return nil }
        guard parts.count >= 2, let code = Self.codes[parts[0].revealText()] else { return Self.malformed }
        let wait = parts.count > 2 ? try? number(2) : nil
        return AuthError(
            code, parts[1].revealText(), retryAfter: wait.map { .seconds(Int64(clamping: $0)) })
    }

    /// The errors that opening and sealing can give. A message with any other is malformed.
    private static let codes: [String: AuthError.Code] = {
        let codes: [AuthError.Code] = [
            .locked, .declined, .busy, .cancelled, .refused(.wrongInput), .refused(.other), .store(.damaged),
            .store(.tampered), .store(.rolledBack), .store(.newerVersion), .store(.unavailable),
            .store(.unknownOutcome),
            .store(.full),
            .store(.insecurePermissions), .store(.readOnly), .store(.lockTimeout), .store(.notDurable),
            .configuration(.invalid), .configuration(.unsupported), .configuration(.changed),
            .unlockUnavailable(.lockedOut), .unlockUnavailable(.missing), .unlockUnavailable(.notEnrolled),
            .unlockUnavailable(.invalidated), .untrusted(.malformed),
        ]
        return Dictionary(uniqueKeysWithValues: codes.map { ($0.name, $0) })
    }()
}

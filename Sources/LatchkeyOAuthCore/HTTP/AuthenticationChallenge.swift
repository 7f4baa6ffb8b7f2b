public import Latchkey
import LatchkeyJSON

/// One challenge of a `WWW-Authenticate` header
/// ([RFC 9110, section 11.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1)).
public struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme, in lower case: `bearer`, `dpop`, `basic`.
    public var scheme: String
    /// The `token68` value of schemes that have one instead of parameters.
    public var token68: String?
    /// The parameters by name, in lower case. If a name occurs twice, the first value is kept.
    public var parameters: [String: String] = [:]

    /// The most challenges that are read from one answer.
    public static let most = 16

    /// Creates a challenge from its parts.
    public init(scheme: String, token68: String? = nil, parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// Returns all challenges of an answer in order, including those in repeated headers.
    ///
    /// Never fails: a header is read up to the place where its grammar is broken, and what came
    /// before is kept. At most ``most`` challenges are read, and 8,192 bytes of each header.
    public static func all(in fields: HeaderFields) -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        for line in fields.all("WWW-Authenticate") where line.utf8.count <= 8_192 {
            var parser = ChallengeParser(Array(line.utf8))
            parser.read(into: &found)
        }
        return Array(found.prefix(most))
    }
}

extension AuthenticationChallenge: CustomStringConvertible, CustomReflectable {
    /// The scheme only: the rest comes from the service, and may be a ticket or a code.
    public var description: String { "\(scheme) challenge" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Reads one header from left to right.
private struct ChallengeParser {
    let bytes: [UInt8]
    var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read(into found: inout [AuthenticationChallenge]) {
        skip(", \t")
        while found.count < AuthenticationChallenge.most, let scheme = token() {
            var challenge = AuthenticationChallenge(scheme: scheme.lowercased())
            let intact = readContent(of: &challenge)
            found.append(challenge)
            guard intact else { return }
            skip(", \t")
        }
    }

    /// Reads the content of a challenge. Returns `false` if the grammar is broken.
    private mutating func readContent(of challenge: inout AuthenticationChallenge) -> Bool {
        guard index < bytes.count else { return true }
        guard isBlank(bytes[index]) else { return bytes[index] == 0x2C }
        skip(" \t")
        if let blob = token68() {
            challenge.token68 = blob
            return true
        }
        while index < bytes.count {
            skip(", \t")
            let start = index
            guard let name = token() else { return index == bytes.count }
            skip(" \t")
            guard index < bytes.count, bytes[index] == 0x3D else {
                // A token without `=` is the scheme of the next challenge.
                index = start
                return true
            }
            index += 1
            skip(" \t")
            guard let value = index < bytes.count && bytes[index] == 0x22 ? quoted() : token() else { return false }
            let key = name.lowercased()
            if challenge.parameters[key] == nil { challenge.parameters[key] = value }
            skip(" \t")
            guard index == bytes.count || bytes[index] == 0x2C else { return false }
        }
        return true
    }

    private mutating func token() -> String? {
        let start = index
        while index < bytes.count, HTTPSyntax.isTokenByte(bytes[index]) { index += 1 }
        return start == index ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Reads a `token68` value, which counts only if the challenge ends after it; otherwise it is a parameter.
    private mutating func token68() -> String? {
        var end = index
        while end < bytes.count, isBlobByte(bytes[end]) { end += 1 }
        guard end > index else { return nil }
        while end < bytes.count, bytes[end] == 0x3D { end += 1 }
        var next = end
        while next < bytes.count, isBlank(bytes[next]) { next += 1 }
        guard next == bytes.count || bytes[next] == 0x2C else { return nil }
        defer { index = next }
        return String(decoding: bytes[index..<end], as: UTF8.self)
    }

    private mutating func quoted() -> String? {
        var content: [UInt8] = []
        index += 1
        while index < bytes.count {
            switch bytes[index] {
            case 0x22:
                index += 1
                let text = String(decoding: content, as: UTF8.self)
                return text.hasEndlessMarks ? nil : text
            case 0x5C where index + 1 < bytes.count:
                content.append(bytes[index + 1])
                index += 2
            default:
                content.append(bytes[index])
                index += 1
            }
        }
        return nil
    }

    private mutating func skip(_ characters: StaticString) {
        while index < bytes.count, String(describing: characters).utf8.contains(bytes[index]) { index += 1 }
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func isBlobByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~+/".utf8.contains(byte)
        }
    }
}

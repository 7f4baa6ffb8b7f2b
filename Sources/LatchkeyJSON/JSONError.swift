/// Why a document was refused. The error names the place, never the content.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// The document is not JSON: it breaks the grammar of RFC 8259, or its top level is neither
        /// an object nor an array.
        case syntax
        /// Bytes that are not UTF-8, a lone surrogate, U+0000, or more than 64 combining marks in a row.
        case encoding
        /// A member name occurs twice in one object.
        case duplicateMember
        /// More levels than ``JSONLimits/depth``.
        case tooDeep
        /// More bytes than ``JSONLimits/bytes``.
        case tooLarge
        /// An integer outside Int64, or another number that is not a finite double.
        case numberRange
        /// There is more after the document.
        case trailing
        /// A required member is absent, or null.
        case missing
        /// A member does not have the required type.
        case wrongType
    }

    /// What is wrong.
    public var code: Code
    /// The path, such as `$.keys[2].n`. For `syntax`, `encoding` and `trailing` it is `$`, and
    /// ``offset`` names the place.
    public var path: String
    /// The byte at which reading stopped, from 0, if the reader knows it.
    public var offset: Int?

    /// Creates an error at `path`.
    public init(_ code: Code, at path: String, offset: Int? = nil) {
        self.code = code
        self.path = path
        self.offset = offset
    }

    /// The code and the place in words.
    public var description: String {
        let place = offset.map { "\(path) (byte \($0))" } ?? path
        return switch code {
        case .missing: "\(place) is missing"
        case .wrongType: "\(place) has the wrong type"
        case .duplicateMember: "\(place) stands twice"
        case .syntax: "no valid JSON at \(place)"
        case .encoding: "invalid text at \(place)"
        case .tooDeep: "nested too deeply at \(place)"
        case .tooLarge: "document too large"
        case .numberRange: "number out of range at \(place)"
        case .trailing: "something stands after the document at \(place)"
        }
    }
}

/// Bounds on what a reader accepts.
public struct JSONLimits: Hashable, Sendable {
    /// The most bytes that a document may have. The default is 1 MiB.
    public var bytes: Int
    /// The most levels of arrays and objects. The default is 64; more than 512 counts as 512.
    public var depth: Int

    /// Creates limits.
    public init(bytes: Int = 1 << 20, depth: Int = 64) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The depth that readers use. It is bounded because releasing a nested value uses stack.
    var levels: Int { min(depth, 512) }
}

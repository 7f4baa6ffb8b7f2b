/// Why a document was refused. Names the place, never the content.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// Not JSON: the grammar of RFC 8259 is broken, or the top level is neither an object nor an array.
        case syntax
        /// Bytes that are no UTF-8, a lone surrogate, U+0000, or more than 64 combining marks after each other.
        case encoding
        /// A member name stands twice in one object.
        case duplicateMember
        /// More levels than ``JSONLimits/depth``.
        case tooDeep
        /// More bytes than ``JSONLimits/bytes``.
        case tooLarge
        /// A number outside of Int64 (integers) or of finite doubles.
        case numberRange
        /// Something stands after the document.
        case trailing
        /// A required member is absent, or null.
        case missing
        /// A member has another type than required.
        case wrongType
    }

    /// What is wrong.
    public var code: Code
    /// Where, as `$.keys[2].n`. For `syntax`, `encoding` and `trailing` the path is `$` and ``offset`` tells.
    public var path: String
    /// The byte at which reading stopped, from 0, where a reader knows it.
    public var offset: Int?

    /// Describes a refusal at `path`.
    public init(_ code: Code, at path: String, offset: Int? = nil) {
        self.code = code
        self.path = path
        self.offset = offset
    }

    /// Code and place in words.
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
    /// The most bytes a document may have. Default 1 MiB.
    public var bytes: Int
    /// The most levels of arrays and objects. Default 64; more than 512 counts as 512.
    public var depth: Int

    /// Bounds with the given values.
    public init(bytes: Int = 1 << 20, depth: Int = 64) {
        self.bytes = bytes
        self.depth = depth
    }

    /// The depth that readers go by: bounded, because releasing a nested value takes stack.
    var levels: Int { min(depth, 512) }
}

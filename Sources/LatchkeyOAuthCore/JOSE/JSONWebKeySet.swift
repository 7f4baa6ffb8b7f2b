public import LatchkeyCrypto
public import LatchkeyJSON

/// The keys of one issuer, RFC 7517 section 5.
public struct JSONWebKeySet: Sendable {
    /// The most keys that are read at once. Those of a larger set are read when a token names them.
    public static let limit = 100
    /// The most keys that are tried for one token.
    static let triesLimit = 16

    /// A key that must not be used, or cannot be.
    struct Refused: Sendable {
        var keyID: String?
        var error: JOSEError
    }

    /// The usable keys, at most ``limit``.
    public let keys: [JSONWebKey]
    private let refused: [Refused]
    /// The keys beyond ``limit``, not yet read.
    private let further: [JSON]

    /// Creates a set of `keys`.
    public init(_ keys: [JSONWebKey] = []) {
        self.keys = keys
        (refused, further) = ([], [])
    }

    /// Reads a set. A weak or broken key, or one of another type, is left out without spoiling the others; a token that
    /// names it is refused with the reason.
    ///
    /// - Throws: ``JOSEError`` with code `invalidKeySet`.
    public init(parsing json: JSON) throws(JOSEError) {
        guard let elements = json[JOSEWire.Key.keys]?.array else {
            throw JOSEError(.invalidKeySet, "the key set is no object with an array of keys")
        }
        (keys, refused) = Self.read(elements.prefix(Self.limit))
        further = Array(elements.dropFirst(Self.limit))
    }

    private static func read(_ elements: some Sequence<JSON>) -> ([JSONWebKey], [Refused]) {
        var keys: [JSONWebKey] = []
        var refused: [Refused] = []
        for element in elements {
            do throws(JOSEError) {
                keys.append(try JSONWebKey(parsing: element))
            } catch {
                refused.append(Refused(keyID: element[JOSEWire.Key.keyID]?.string, error: error))
            }
        }
        return (keys, refused)
    }

    /// Whether there are no usable keys.
    public var isEmpty: Bool { keys.isEmpty && further.isEmpty }

    /// The result of choosing a key for a token.
    public enum Selection: Sendable {
        /// The key that fits.
        case key(JSONWebKey)
        /// The keys that fit, each once. One of them has made the signature, or none has.
        case several([JSONWebKey])
        /// The token names a key that the set does not have: a newer set may have it.
        case unknownKeyID
        /// The key that the token names, or every key, is not for this algorithm or not for signatures.
        case mismatched
        /// The key that the token names, or the only keys there are, must not be used.
        case refused(JOSEError)
        /// The set has no key.
        case none
    }

    /// Selects the keys that fit `algorithm`, and `keyID` if the token names one. The algorithm determines the type of
    /// key.
    public func select(_ algorithm: SignatureAlgorithm, keyID: String?) -> Selection {
        let (named, refused) = named(keyID)
        let fitting = named.filter { $0.accepts(algorithm) }
        if fitting.count == 1 { return .key(fitting[0]) }
        if !fitting.isEmpty {
            let different = Self.different(fitting)
            return different.count == 1 ? .key(different[0]) : .several(different)
        }
        if !named.isEmpty { return .mismatched }
        if let first = refused.first {
            return .refused(refused.count == 1 ? first.error : JOSEError(first.error.code, reason(algorithm, keyID)))
        }
        return keyID == nil ? .none : .unknownKeyID
    }

    /// Says of each key with that name why it does not fit.
    package func reason(_ algorithm: SignatureAlgorithm, _ keyID: String?) -> String {
        let (named, refused) = named(keyID)
        let all = named.compactMap { $0.objection(to: algorithm) } + refused.map(\.error.reason)
        guard all.count > 1 else { return all.first ?? "there is no key to check the token with" }
        let shown = all.prefix(Self.reasonsLimit).enumerated().map { "(\($0.offset + 1)) \($0.element)" }
        let more = all.count > shown.count ? ", and \(all.count - shown.count) more" : ""
        return "none of \(all.count) keys can check the token: \(shown.joined(separator: ", "))\(more)"
    }

    /// The most keys of which a reason is given.
    private static let reasonsLimit = 4

    /// Returns the keys with that name, all if it is `nil`, and all if the set names none of its keys (RFC 7517,
    /// section 4.5: `kid` is optional there, while the token may have one).
    private func named(_ keyID: String?) -> ([JSONWebKey], [Refused]) {
        guard let keyID, !isNameless else { return (keys, refused) }
        func isNamed(_ name: String?) -> Bool { name?.hasSameBytes(as: keyID) ?? false }
        let near = keys.filter { isNamed($0.keyID) }
        let refused = refused.filter { isNamed($0.keyID) }
        if further.isEmpty { return (near, refused) }
        let far = Self.read(
            further.filter { isNamed($0[JOSEWire.Key.keyID]?.string) }.prefix(Self.triesLimit))
        return (near + far.0, refused + far.1)
    }

    private var isNameless: Bool {
        further.isEmpty && !keys.isEmpty && keys.allSatisfy { $0.keyID == nil }
            && refused.allSatisfy { $0.keyID == nil }
    }

    /// Returns each key once, whatever is said about it.
    private static func different(_ keys: [JSONWebKey]) -> [JSONWebKey] {
        var seen: Set<String> = []
        return Array(keys.filter { seen.insert($0.thumbprint).inserted }.prefix(triesLimit))
    }
}

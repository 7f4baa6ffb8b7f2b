public import LatchkeyCrypto
public import LatchkeyJSON

/// The keys of one issuer, RFC 7517 section 5.
public struct JSONWebKeySet: Sendable {
    /// The most keys a set may have.
    public static let limit = 100

    /// A key of a known type that must not be used.
    struct Refused: Sendable {
        var keyID: String?
        var error: JOSEError
    }

    /// The usable keys.
    public let keys: [JSONWebKey]
    private let refused: [Refused]

    /// Creates a set of `keys`.
    public init(_ keys: [JSONWebKey] = []) {
        self.keys = keys
        refused = []
    }

    /// Reads a set.
    ///
    /// Keys of other types are skipped, as section 5 asks. A weak or broken key is left out without
    /// spoiling the others; a token that names it is refused with the reason.
    ///
    /// - Throws: ``JOSEError`` with code `invalidKeySet`.
    public init(parsing json: JSON) throws(JOSEError) {
        guard let elements = json[JOSEWire.Key.keys]?.array else {
            throw JOSEError(.invalidKeySet, "the key set is no object with an array of keys")
        }
        guard elements.count <= Self.limit else {
            throw JOSEError(.invalidKeySet, "the key set has more than \(Self.limit) keys")
        }
        var keys: [JSONWebKey] = []
        var refused: [Refused] = []
        for element in elements {
            do throws(JOSEError) {
                keys.append(try JSONWebKey(parsing: element))
            } catch  where error.code != .unsupportedKey {
                refused.append(Refused(keyID: element[JOSEWire.Key.keyID]?.string, error: error))
            } catch {
                continue
            }
        }
        self.keys = keys
        self.refused = refused
    }

    /// Whether there are no usable keys.
    public var isEmpty: Bool { keys.isEmpty }

    /// The result of choosing a key for a token.
    public enum Selection: Sendable {
        /// The key that fits.
        case key(JSONWebKey)
        /// The token names a key that the set does not have: a newer set may have it.
        case unknownKeyID
        /// More than one key fits.
        case ambiguous
        /// The key that the token names, or every key, is not for this algorithm or not for signatures.
        case mismatched
        /// The key that the token names, or the only keys there are, must not be used.
        case refused(JOSEError)
        /// The set has no key.
        case none
    }

    /// Selects the one key that fits `algorithm`, and `keyID` if the token names one.
    ///
    /// Without a key id, exactly one key of the set must fit. The algorithm determines the type of key.
    public func select(_ algorithm: SignatureAlgorithm, keyID: String?) -> Selection {
        func isNamed(_ name: String?) -> Bool { keyID.map { name?.hasSameBytes(as: $0) ?? false } ?? true }
        let named = keys.filter { isNamed($0.keyID) }
        let fitting = named.filter { $0.accepts(algorithm) }
        if let only = fitting.first { return fitting.count == 1 ? .key(only) : .ambiguous }
        if !named.isEmpty { return .mismatched }
        if let first = refused.first(where: { isNamed($0.keyID) }) { return .refused(first.error) }
        return keyID == nil ? .none : .unknownKeyID
    }
}

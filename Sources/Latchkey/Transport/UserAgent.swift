/// The value of the `User-Agent` field ([RFC 9110, section
/// 10.1.5](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.5)). Many gateways refuse requests without one.
public struct UserAgent: Hashable, Sendable {
    /// The version of this package.
    package static let version = "0.1.0"
    /// The most bytes of an app's own products.
    public static let limit = 256
    /// `latchkey/` and the version, for programs that do not give a name of their own.
    public static let latchkey = UserAgent(checked: "latchkey/\(version)")

    /// The whole value, such as `Notes/1.2 latchkey/0.1.0`.
    public let text: String

    private init(checked text: String) { self.text = text }

    /// Puts an app's own product before `latchkey/VERSION`.
    ///
    /// - Parameter products: The app's name and version, such as `Notes/1.2`. Further products and comments may follow,
    ///   separated by spaces: `Notes/1.2 (linux; x86_64)`. At most ``limit`` bytes of ASCII.
    /// - Throws: `configuration(.invalid)` for anything else, so that no other line can hide in it.
    public init(products: String) throws(AuthError) {
        guard products.utf8.count <= Self.limit, ProductList.isValid(Array(products.utf8)) else {
            throw AuthError(
                .configuration(.invalid),
                "The product for the User-Agent is not of the form `Name/1.0`, which may be followed by further ones and by"
                    + " comments in parentheses.")
        }
        text = "\(products) \(Self.latchkey.text)"
    }
}

extension UserAgent: CustomStringConvertible {
    /// The whole value.
    public var description: String { text }
}

/// The grammar of `User-Agent`: `product *( SP ( product / comment ) )`.
private enum ProductList {
    static func isValid(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        guard takeProduct(&rest) else { return false }
        while !rest.isEmpty {
            guard rest.popFirst() == UInt8(ascii: " ") else { return false }
            guard rest.first == UInt8(ascii: "(") ? takeComment(&rest) : takeProduct(&rest) else { return false }
        }
        return true
    }

    /// Takes `token [ "/" token ]`.
    private static func takeProduct(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard takeToken(&rest) else { return false }
        guard rest.first == UInt8(ascii: "/") else { return true }
        rest.removeFirst()
        return takeToken(&rest)
    }

    private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let token = rest.prefix(while: ReservedFields.isTokenByte)
        rest = rest[token.endIndex...]
        return !token.isEmpty
    }

    /// Takes a comment in parentheses, which may hold others. Backslashes are not needed in it, and are refused.
    private static func takeComment(_ rest: inout ArraySlice<UInt8>) -> Bool {
        var depth = 0
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\\"): return false
            case 0x20...0x7E: break
            default: return false
            }
            if depth == 0 { return true }
        }
        return false
    }
}

import LatchkeySystem

/// Text as HTML. Everything that a person or a service wrote passes through here.
public enum WebHTML {
    /// Returns `text` for content and quoted attributes, without control characters and without the characters
    /// that turn the direction of what follows them.
    public static func text(_ text: String) -> String { HTMLText.escape(text) }

    /// Returns a QR code of `text` as a drawing without a script; `nil` if it is longer than 1,500 bytes.
    ///
    /// - Parameters:
    ///   - text: What the code holds, such as an `otpauth:` address.
    ///   - title: What the drawing is, for people who do not see it.
    public static func qrCode(_ text: String, title: String) -> String? { QRDrawing(text)?.html(title: title) }

    /// Returns attributes, each with a space before it; a value of `nil` leaves its attribute out.
    static func attributes(_ attributes: KeyValuePairs<String, String?>) -> String {
        attributes.map { name, value in value.map { " \(name)=\"\(text($0))\"" } ?? "" }.joined()
    }
}

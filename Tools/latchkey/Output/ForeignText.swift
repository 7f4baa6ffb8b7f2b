import Latchkey

/// Which foreign texts may stand at a place that another program reads: one rule for each place.
///
/// Foreign is what a service, a resource or a stored record says. Before such a text gets to one of these places, it
/// passes the place's rule; a text that does not is left out, or an error says so.
enum ForeignText {
    /// Whether a text may be the value of a variable in a program's environment.
    ///
    /// Scripts print such values, cut them at white space and write them to terminals and logs, so they have no control
    /// characters, line ends or characters that turn the direction of text.
    static func fitsVariable(_ text: String) -> Bool { !text.unicodeScalars.contains(where: controls) }

    /// Whether a text may be one line of a protocol of lines, or the part of one behind a `=`, such as git's.
    static func fitsLine(_ text: String) -> Bool { !text.isEmpty && fitsVariable(text) }

    /// Returns a text as a word that a shell offers while a person types; `nil` if it may not be offered.
    ///
    /// The shell's script quotes it. A word that begins with `-` would be an option.
    static func word(_ text: String) -> String? {
        text.isEmpty || text.hasPrefix("-") || !fitsVariable(text) ? nil : text
    }

    private static func controls(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .format: true
        default: false
        }
    }
}

extension Secret {
    /// The token, if it may be a line of a protocol, a file of one line, or the value of a variable.
    ///
    /// - Throws: ``ToolError`` `untrusted(.malformed)` otherwise: it never goes where it would be read as something else.
    func handedOver() throws -> Secret {
        guard ForeignText.fitsLine(revealText()) else {
            throw ToolError(.untrusted(.malformed), "error.tokenForm")
        }
        return self
    }
}

extension JSON {
    /// Reads one document with the platform's strict reader.
    ///
    /// It is stricter than RFC 8259 where readers are known to disagree: no member name twice
    /// (names are compared as Swift strings, so by canonical equivalence), no U+0000, no lone
    /// surrogate, at most 64 combining marks in a row (comparing more takes
    /// time that grows with the square), integers within Int64, doubles finite, and an object or
    /// array at the top. `-0` is the integer 0; `1.0` and `1e2` are numbers. One byte order mark at the
    /// very beginning is skipped (RFC 8259, section 8.1): servers of a few vendors send it. Throws ``JSONError``,
    /// whose path and offset name the place.
    public static func parse(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSON {
        try parse(bytes, limits: limits, reader: .platform)
    }

    /// Reads one document with the given reader. All readers must agree on every input.
    package static func parse(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), reader: JSONReader
    ) throws(JSONError) -> JSON {
        switch reader {
        #if os(Linux)
            case .jansson: try JanssonReader.parse(bytes, limits: limits)
        #endif
        case .portable: try PortableReader.parse(bytes, limits: limits).json(0)
        }
    }
}

/// The strict readers that this platform has.
package enum JSONReader: CaseIterable, Sendable {
    #if os(Linux)
        /// The C library jansson.
        case jansson
    #endif
    /// The library's own reader.
    case portable

    /// The reader that ``JSON/parse(_:limits:)`` uses: the first.
    package static var platform: JSONReader {
        #if os(Linux)
            .jansson
        #else
            .portable
        #endif
    }
}

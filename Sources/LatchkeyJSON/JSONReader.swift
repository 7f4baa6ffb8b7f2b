extension JSON {
    /// Reads one document with the strict reader of the platform.
    public static func parse(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSON {
        throw JSONError(.syntax, at: "$")
    }
}

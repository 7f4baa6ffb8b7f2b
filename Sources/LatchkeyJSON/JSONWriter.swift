extension JSON {
    /// The document as UTF-8 bytes, members sorted by name, no spaces.
    public func serialized() -> [UInt8] { [] }
}

extension String {
    /// Whether both have the same UTF-8 bytes, as rules that compare identifiers require. Swift's
    /// `==` also treats different bytes as equal, such as `e` with a combining accent and `é`, or
    /// the Kelvin sign and `K`.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String {
    /// Whether both are the same bytes of UTF-8. Swift's `==` takes other bytes for the same text, such as `e` with an
    /// accent after it for `é`, or the Kelvin sign for `K`: not what a rule means that compares identifiers.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

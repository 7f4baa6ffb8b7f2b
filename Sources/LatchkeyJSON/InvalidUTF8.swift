extension [UInt8] {
    /// The start of the first byte sequence that is not UTF-8 (RFC 3629); `nil` if there is none.
    var firstInvalidUTF8: Int? {
        guard var offset = firstIndex(where: { $0 >= 0x80 }) else { return nil }
        var rest = self[offset...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }
}

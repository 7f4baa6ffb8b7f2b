extension [UInt8] {
    /// Where the first byte sequence starts that is no UTF-8 (RFC 3629).
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

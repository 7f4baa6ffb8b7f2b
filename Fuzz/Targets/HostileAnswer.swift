import Latchkey

/// An answer in the format of inputs: a line with the status, lines with fields, an empty line, the body. Without
/// such a head, the whole input is the body of a 200.
struct HostileAnswer {
    let response: TransportResponse

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func line() -> ArraySlice<UInt8>? {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return rest[..<end]
        }
        guard let first = line(), first.count == 3, let status = Int(String(decoding: first, as: UTF8.self)) else {
            response = TransportResponse(status: 200, body: bytes)
            return
        }
        var fields = HeaderFields()
        while let field = line(), !field.isEmpty {
            let name = field.prefix { $0 != UInt8(ascii: ":") }
            let value = field.dropFirst(name.count + 1).drop { $0 == 0x20 }
            fields.add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        response = TransportResponse(status: status, fields: fields, body: Array(rest))
    }
}

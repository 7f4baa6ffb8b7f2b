import CMicrohttpd

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Collects the header fields of a request, and judges them by RFC 9112, section 5, and RFC 9110, section 5.
///
/// The daemon takes a line feed alone for the end of a line, joins folded lines, cuts a value at a NUL, and takes any bytes.
/// It keeps the lines where they were received, with zeros in place of the line ends. So each field has to begin two
/// bytes behind the previous one: a carriage return and a line feed lay between them.
final class FieldCollector {
    private(set) var fields: [(name: String, value: String)] = []
    /// The bytes of all fields.
    private(set) var size = 0
    /// Whether every field is as the grammar says.
    private(set) var isSound = true
    /// Where the next field has to begin in the daemon's memory; `nil` if that is not known.
    private var next: UInt?

    /// - Parameter version: The end of the request line.
    init(after version: UnsafePointer<CChar>?) {
        next = version.map { UInt(bitPattern: $0) + UInt(strlen($0)) + 2 }
    }

    /// Whether the empty line follows the last field, and the head ends with it. The daemon takes a line that begins with its
    /// colon or a NUL for the end of the head, and cuts a value at a NUL: then the head has another length. Only such a line with a
    /// line feed alone, or behind one, has the same length as an empty line, and cannot be told from it; nor can a NUL in the
    /// place of a carriage return.
    ///
    /// - Parameter head: Where the head ends in the daemon's memory.
    func isComplete(before head: UInt) -> Bool {
        guard let next else { return isSound }
        return isSound && next + 2 == head
    }

    /// Valid while the collector lives. The caller holds it on the stack for that time.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let collect: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let context else { return .NO }
        let collector = Unmanaged<FieldCollector>.fromOpaque(context).takeUnretainedValue()
        collector.size += nameSize + valueSize + 4
        collector.take(name, nameSize, value, valueSize)
        return .YES
    }

    private func take(
        _ name: UnsafePointer<CChar>?, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
    ) {
        if let next, name.map({ UInt(bitPattern: $0) }) != next { isSound = false }
        // At least the empty line follows, so there is a byte. Behind a NUL it is the rest of the value.
        if isSound, let value, value[valueSize + 1] != 0, value[valueSize + 1] != 0x0A { isSound = false }
        next = value.map { UInt(bitPattern: $0) + UInt(valueSize) + 2 }
        guard let field = Self.text(name, nameSize), let content = Self.text(value, valueSize), !field.isEmpty,
            field.utf8.allSatisfy(Self.isTokenByte), content.utf8.allSatisfy(Self.isValueByte)
        else {
            isSound = false
            return
        }
        // The white space around a value is no part of it.
        let end = content.lastIndex { $0 != " " && $0 != "\t" }
        fields.append((field, end.map { String(content[...$0]) } ?? ""))
    }

    /// Whether a byte may stand in a method or in the name of a field: `tchar` of RFC 9110, section 5.6.2.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Whether a byte may stand in the value of a field: visible, a space, a tab, or above ASCII.
    private static func isValueByte(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String? {
        guard let start else { return "" }
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            String(validating: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
        }
    }
}

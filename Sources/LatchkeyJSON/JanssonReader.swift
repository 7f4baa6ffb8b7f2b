#if os(Linux)
    import CJansson

    /// The reader over the C library jansson, which alone decides what to accept.
    enum JanssonReader {
        /// Reads one document. If jansson refuses it, the portable reader makes the error, so that
        /// codes, paths and offsets are the same on every platform.
        static func parse(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSON {
            if let value = accept(bytes, limits: limits) { return value }
            _ = try PortableReader.parse(bytes, limits: limits)
            // Only the portable reader accepts it. A document that one strict reader refuses stays refused.
            throw JSONError(.syntax, at: "$")
        }

        /// Returns the document, or `nil` if jansson or a limit refuses it.
        private static func accept(_ bytes: [UInt8], limits: JSONLimits) -> JSON? {
            // jansson 2.14 skips a NUL byte that follows a number or a literal.
            guard bytes.count <= limits.bytes, !bytes.contains(0) else { return nil }
            let root = bytes.withUnsafeBytes { buffer in
                buffer[bytes.startOfJSON...].withMemoryRebound(to: CChar.self) {
                    json_loadb($0.baseAddress, $0.count, Int(JSON_REJECT_DUPLICATES), nil)
                }
            }
            guard let root else { return nil }
            defer { json_decref(root) }
            return convert(root, levels: limits.levels)
        }

        /// Converts a value; `nil` if it needs more than `levels` levels, or if two of its names
        /// are equal in Swift.
        private static func convert(_ value: UnsafeMutablePointer<json_t>, levels: Int) -> JSON? {
            switch value.pointee.type {
            case JSON_OBJECT: levels > 0 ? object(value, levels: levels - 1) : nil
            case JSON_ARRAY: levels > 0 ? array(value, levels: levels - 1) : nil
            case JSON_STRING: text(value).map(JSON.string)
            case JSON_INTEGER: .integer(json_integer_value(value))
            case JSON_REAL: finite(json_real_value(value))
            case JSON_TRUE: .bool(true)
            case JSON_FALSE: .bool(false)
            case JSON_NULL: .null
            default: nil
            }
        }

        private static func object(_ value: UnsafeMutablePointer<json_t>, levels: Int) -> JSON? {
            var members: [String: JSON] = [:]
            members.reserveCapacity(json_object_size(value))
            var position = json_object_iter(value)
            while let current = position {
                // A name ends at its NUL, because jansson refuses U+0000 in names.
                guard let name = json_object_iter_key(current), let member = json_object_iter_value(current),
                    let converted = convert(member, levels: levels), case let name = String(cString: name),
                    !name.hasEndlessMarks, members.updateValue(converted, forKey: name) == nil
                else { return nil }
                position = json_object_iter_next(value, current)
            }
            return .object(members)
        }

        private static func array(_ value: UnsafeMutablePointer<json_t>, levels: Int) -> JSON? {
            let count = json_array_size(value)
            var elements: [JSON] = []
            elements.reserveCapacity(count)
            for index in 0..<count {
                guard let element = json_array_get(value, index), let converted = convert(element, levels: levels)
                else { return nil }
                elements.append(converted)
            }
            return .array(elements)
        }

        private static func text(_ value: UnsafeMutablePointer<json_t>) -> String? {
            let text = String(
                decoding: UnsafeRawBufferPointer(start: json_string_value(value), count: json_string_length(value)),
                as: UTF8.self)
            return text.hasEndlessMarks ? nil : text
        }

        private static func finite(_ value: Double) -> JSON? { value.isFinite ? .number(value) : nil }
    }
#endif

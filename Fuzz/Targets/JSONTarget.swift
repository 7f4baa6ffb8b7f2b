@testable import LatchkeyJSON

extension FuzzTarget {
    /// The readers of JSON. They must agree on every input, in the value or in the refusal, including its position.
    static let json = FuzzTarget(name: "json", longest: 1_024) { bytes throws(Disagreement) in
        for limits in [JSONLimits(), JSONLimits(bytes: 600, depth: 5)] {
            var verdicts: [Result<JSON, JSONError>] = []
            for reader in JSONReader.allCases {
                verdicts.append(
                    try Canary.outcome { () throws(JSONError) in try JSON.parse(bytes, limits: limits, reader: reader) }
                )
            }
            guard let first = verdicts.first else { return }
            for other in verdicts.dropFirst() { try demandSame(first, other) }
            switch first {
            case .success(let value):
                try demandRoundTrip(value, limits)
                try demandPaths(of: try JSONDocument.parsed(bytes, limits), value, "$")
            case .failure(let error): try demandPlace(error, in: bytes)
            }
        }
    }

    private static func demandSame(
        _ first: Result<JSON, JSONError>, _ other: Result<JSON, JSONError>
    ) throws(Disagreement) {
        switch (first, other) {
        case (.success(let one), .success(let two)):
            // Compare texts by their bytes, and numbers by their digits.
            try demand(one.serialized() == two.serialized() && one == two, "the readers read different values")
        case (.failure(let one), .failure(let two)):
            try demand(one == two, "the readers refuse for different reasons: \(one), \(two)")
        case (.success, .failure(let error)), (.failure(let error), .success):
            throw Disagreement("one reader accepts what another refuses: \(error)")
        }
    }

    private static func demandRoundTrip(_ value: JSON, _ limits: JSONLimits) throws(Disagreement) {
        if Canary.isIn(value.serialized()) { try Canary.demandHidden(value) }
        let written = value.serialized()
        for reader in JSONReader.allCases {
            let again = try? JSON.parse(written, limits: JSONLimits(bytes: .max, depth: limits.depth), reader: reader)
            try demand(again == value, "what was written is not read as the same value")
            try demand(again?.serialized() == written, "what was read again is written in another way")
        }
    }

    /// Checks that reading the document in place gives the same values, each with the path to it.
    private static func demandPaths(of field: JSONDocument.Field, _ value: JSON, _ path: String) throws(Disagreement) {
        try demand(field.path == path && field.json == value, "a value stands at another place")
        switch value {
        case .object(let members):
            for (name, value) in members { try demandPaths(of: field[name], value, "\(path).\(name)") }
            try demand(field.members(except: []) == members, "a document loses members")
        case .array(let elements):
            let found = (try? field.array()) ?? []
            try demand(found.count == elements.count, "a document loses elements")
            for (index, value) in elements.enumerated() {
                try demandPaths(of: found[index], value, "\(path)[\(index)]")
            }
        default: break
        }
    }

    private static func demandPlace(_ error: JSONError, in bytes: [UInt8]) throws(Disagreement) {
        try demand((0...bytes.count).contains(error.offset ?? 0), "an error names a byte outside of the document")
        try demand(error.path.utf8.first == UInt8(ascii: "$"), "an error names a place that does not begin with $")
    }
}

extension JSONDocument {
    fileprivate static func parsed(_ bytes: [UInt8], _ limits: JSONLimits) throws(Disagreement) -> Field {
        do { return try parse(bytes, limits: limits).root } catch {
            throw Disagreement("a document is refused that was read: \(error)")
        }
    }
}

/// One kind of input from outside, and what must hold for every such input.
struct FuzzTarget: Sendable {
    /// The name on the command line, and of its folder in `Corpus`.
    let name: String
    /// The longest useful input, in bytes.
    let longest: Int
    /// Throws if a law does not hold for an input.
    let check: @Sendable ([UInt8]) throws(Disagreement) -> Void

    static let all: [FuzzTarget] = [
        .json, .jsonPeer, .callback, .tokenAnswer, .errorAnswer, .deviceAnswer, .discovery, .keySet, .jwt, .idToken,
        .challenges, .headers, .storedRecord, .fileRecord, .requestHead, .supabaseAnswer,
        .supabaseImport, .vault, .auditLog, .pins, .serverHead,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A law that does not hold for an input.
struct Disagreement: Error {
    /// The broken law, without the input's content.
    let law: String

    init(_ law: String) { self.law = law }
}

/// Throws if `holds` is false, which ends the check of the input.
func demand(_ holds: Bool, _ law: @autoclosure () -> String) throws(Disagreement) {
    if !holds { throw Disagreement(law()) }
}

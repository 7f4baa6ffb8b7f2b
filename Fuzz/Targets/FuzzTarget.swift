/// One kind of input that others write, and what must hold whatever it is.
struct FuzzTarget: Sendable {
    /// As on the command line, and the name of its folder in `Corpus`.
    let name: String
    /// The longest input that is worth drawing, in bytes.
    let longest: Int
    /// Throws when a law does not hold for an input.
    let check: @Sendable ([UInt8]) throws(Disagreement) -> Void

    static let all: [FuzzTarget] = [
        .json, .jsonPeer, .callback, .tokenAnswer, .errorAnswer, .deviceAnswer, .discovery, .keySet, .jwt, .idToken,
        .challenges, .headers, .storedRecord, .fileRecord, .requestHead, .supabaseAnswer,
        .supabaseImport, .vault,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A law that does not hold for an input.
struct Disagreement: Error {
    /// What was found, without the input's content.
    let law: String

    init(_ law: String) { self.law = law }
}

/// Ends the check of an input for which `holds` is false.
func demand(_ holds: Bool, _ law: @autoclosure () -> String) throws(Disagreement) {
    if !holds { throw Disagreement(law()) }
}

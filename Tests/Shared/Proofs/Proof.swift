public import Testing

/// What a test or a suite proves: rows of the pages whose lists of tests `Scripts/verify tables` writes from these traits.
/// A row is named by its first cell, which stays when a section of a standard is renumbered or a thread moves.
public struct Proof: TestTrait, SuiteTrait {
    /// The rows, as the traits name them; only the sources are read.
    public let rows: [String]
    /// A suite proves a row as a whole, not by each of its tests.
    public var isRecursive: Bool { false }
}

extension Trait where Self == Proof {
    /// Laws of `Documentation/Internals/Laws.md`, by their numbers.
    public static func law(_ numbers: Int...) -> Proof { Proof(rows: numbers.map { "law \($0)" }) }

    /// Demands of RFC 9700, RFC 8252 and OpenID Connect Core 1.0: rows of `Documentation/Internals/Standards.md`.
    public static func standard(_ rows: Int...) -> Proof { Proof(rows: rows.map { "standard \($0)" }) }

    /// Needs of apps, such as `N11`: rows of `Documentation/Internals/Apps.md`.
    public static func need(_ rows: String...) -> Proof { Proof(rows: rows.map { "need \($0)" }) }

    /// What users of other clients report: rows of a page in `Tests/Complaints`.
    public static func complaint(_ page: ComplaintPage, _ rows: Int...) -> Proof {
        Proof(rows: rows.map { "\(page) \($0)" })
    }
}

/// A page of `Tests/Complaints`.
public enum ComplaintPage: Sendable { case supabase, clerk }

/// What a store says of itself and of the server behind it. It holds no secret, and nothing of the records.
public struct StoreHealth: Hashable, Sendable {
    /// What `replace` has promised when it returns.
    @nonexhaustive
    public enum Durability: Hashable, Sendable {
        /// The record outlasts the end of the process, of the machine and of the server.
        case onReturn
        /// It outlasts the end of the process. What was written for up to this long may be lost with the machine or the
        /// server, though it was acknowledged.
        case within(Duration)
        /// It ends with the process.
        case none
        /// The store cannot tell.
        case unknown
    }

    /// What `replace` has promised when it returns.
    public var durability: Durability
    /// What keeps the records and where, in a few words without a user name or a password, such as
    /// `Redis 7.0.15 at 127.0.0.1:6379`; `nil` if there is nothing to say.
    public var place: String?
    /// What its maintainer should change, a sentence each, such as of a server that removes records when its memory is full.
    public var findings: [String]

    /// Creates an answer.
    public init(_ durability: Durability, at place: String? = nil, findings: [String] = []) {
        (self.durability, self.place, self.findings) = (durability, place, findings)
    }
}

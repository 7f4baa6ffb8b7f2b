/// A seam's implementation, or an expectation, that does not keep its contract.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which contract: `StoreContract`.
    public var contract: String
    /// Which clause, in the words of its table: the one that is broken, wherever that showed. ``given`` where nothing is
    /// wrong but one of the closures that the contract was given, such as the one that makes a store.
    public var clause: String
    /// The clause of a violation that is the contract's author's own: one of its closures threw.
    public static let given = "what the contract is given works"

    /// What was seen instead. Never holds a secret.
    public var detail: String

    /// A violation of its parts.
    public init(contract: String, clause: String, detail: String) {
        self.contract = contract
        self.clause = clause
        self.detail = detail
    }

    /// All three.
    public var description: String { "\(contract): \(clause): \(detail)" }
}

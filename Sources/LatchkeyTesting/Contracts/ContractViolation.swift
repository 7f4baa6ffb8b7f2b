/// A seam's implementation, or an expectation, that does not keep its contract.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which contract: `StoreContract`.
    public var contract: String
    /// Which clause, in the words of its table.
    public var clause: String
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

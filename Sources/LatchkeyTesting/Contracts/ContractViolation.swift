/// Reports that an implementation, or an expectation of a test, does not keep its contract.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the contract: `StoreContract`.
    public var contract: String
    /// The broken clause, in the words of the contract's table, wherever the fault showed. It is
    /// ``given`` if the fault is in a closure that you passed to the contract, such as the one that
    /// creates a store.
    public var clause: String
    /// The clause to report if one of the closures that you passed to the contract threw.
    public static let given = "what the contract is given works"

    /// What was seen instead. It never contains a secret.
    public var detail: String

    /// Creates a violation.
    public init(contract: String, clause: String, detail: String) {
        self.contract = contract
        self.clause = clause
        self.detail = detail
    }

    /// The contract, the clause and the detail.
    public var description: String { "\(contract): \(clause): \(detail)" }
}

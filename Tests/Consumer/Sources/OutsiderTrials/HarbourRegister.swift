/// Which skippers a harbour knows. It outlasts the harbours of single clauses, as a real service's accounts do.
public actor HarbourRegister {
    private var numbers = [HarbourService.mail: 7]

    /// A register with one skipper.
    public init() {}

    /// Adds a skipper. `false` if there is one with this mail.
    func add(_ mail: String) -> Bool {
        guard numbers[mail.lowercased()] == nil else { return false }
        numbers[mail.lowercased()] = numbers.count + 7
        return true
    }

    /// The skipper's number.
    func number(of mail: String) -> Int { numbers[mail.lowercased()] ?? 0 }
}

/// When each process is to die, in order.
struct Deaths {
    private var planned: [Int: Int64] = [:]

    /// The next instant at which one dies.
    var next: Int64 { planned.values.min() ?? .max }

    func isPlanned(_ number: Int) -> Bool { planned[number] != nil }

    /// The earlier of two plans holds.
    mutating func plan(_ number: Int, at instant: Int64) {
        planned[number] = min(instant, planned[number] ?? .max)
    }

    /// Takes those whose time has come.
    mutating func due(at instant: Int64) -> [Int] {
        let due = planned.filter { $0.value <= instant }.map(\.key).sorted()
        for number in due { planned[number] = nil }
        return due
    }

    mutating func forget(_ numbers: [Int]) { for number in numbers { planned[number] = nil } }
}

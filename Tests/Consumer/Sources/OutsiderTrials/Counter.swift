import Synchronization

/// A number that several tasks count.
@available(macOS 15, *)
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    func add() { count.add(1, ordering: .sequentiallyConsistent) }

    func reset() { count.store(0, ordering: .sequentiallyConsistent) }
}

public import Latchkey
import LatchkeyTesting

/// What the observer is put through: the contract of observers, over pipes.
public enum GazetteTrial {
    /// Runs the contract over what `make` makes for a descriptor and a number of lines that may wait.
    ///
    /// - Parameter timeLimit: How long a clause may take, in real time.
    public static func run<Observer: AuthObserver>(
        timeLimit: Duration = .seconds(30),
        _ make: @escaping @Sendable (_ descriptor: Int32, _ limit: Int) -> Observer
    ) async throws {
        // Under -1 there is no descriptor: nothing can be written there, and nothing must fail for it.
        try await ObserverContract<Observer>(sink: .init(bound: 64) { make($0, 64) }, timeLimit: timeLimit) {
            make(-1, 64)
        }.run()
    }
}

import LatchkeyTesting

extension ManualClock {
    /// Lets time pass for a client that rests, until it is cancelled: twenty times as fast as it is, so that a code is good
    /// for as long as real sockets take, on a busy machine too.
    func passing() -> Task<Void, Never> {
        Task.detached { [self] in
            var last = ContinuousClock.now
            while !Task.isCancelled {
                for _ in 0..<200 { await Task.yield() }
                let now = ContinuousClock.now
                advance(by: (now - last) * 20)
                last = now
            }
        }
    }
}

import LatchkeySystem

/// How long a service takes at most, as far as it has been seen.
extension Services {
    /// Notes that an answer of the service took so long. An earlier, slower one counts by three quarters from then on.
    func noteAnswer(after took: Duration, of binding: ProviderBinding) {
        slowest.withLock { $0[binding] = max(took, ($0[binding] ?? .zero) / 4 * 3) }
    }

    /// How long the slowest recent answer took that this process knows of.
    func slowestAnswer(of binding: ProviderBinding) -> Duration? { slowest.withLock { $0[binding] } }

    /// Takes over what was stored, if this process has seen none of its own.
    func recall(slowest took: Duration?, of binding: ProviderBinding) {
        guard let took, took > .zero else { return }
        slowest.withLock { slowest in
            if slowest[binding] == nil { slowest[binding] = min(took, settings.requestDeadline) }
        }
    }
}

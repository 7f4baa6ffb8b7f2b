import Latchkey

/// Which series an observation counts in. It bounds the names that come from outside, and remembers those it has seen.
struct MetricNames: Sendable {
    private static let mostNames = 64
    private static let mostClasses = 16
    private static let longestName = 256

    private var origins: Set<String> = []
    private var providers: Set<String> = []
    private var hosts: Set<String> = []
    private var originClasses: Set<String> = []

    /// The series, and what its histogram takes.
    mutating func series(of observation: AuthObservation) -> (MetricsTable.Series, Duration) {
        switch observation {
        case .request(let method, let origin, let status, let took):
            let origin = Self.name(origin, in: &origins)
            return (
                .request(
                    origin: origin, method: MetricsTable.Method(rawValue: method) ?? .other,
                    status: MetricsTable.Status(status)), took
            )
        case .retry(_, let origin, let status, _):
            return (.retry(origin: Self.name(origin, in: &origins), status: MetricsTable.Status(status)), .zero)
        case .refresh(let provider, let outcome, let took):
            return (.refresh(Self.name(provider.name, in: &providers), outcome), took)
        case .heldOff(let provider, let wait): return (.heldOff(Self.name(provider.name, in: &providers)), wait)
        case .store(let kind, let operation, let outcome, let took): return (.store(kind, operation, outcome), took)
        case .refusal(let origin, let cause):
            return (
                .refusal(originClass: Self.name(origin.name, in: &originClasses, most: Self.mostClasses), cause), .zero
            )
        case .storeFailure(let kind, let operation, let code): return (.storeFailure(kind, operation, code), .zero)
        case .lockWait(let lock, let outcome, let took): return (.lockWait(lock, outcome), took)
        case .signIn(let provider, let method, let failure, let took):
            return (.signIn(Self.name(provider.name, in: &providers), method, failure), took)
        case .furtherProof(let what, let provider, let method, let failure, let took):
            return (.furtherProof(what, Self.name(provider.name, in: &providers), method, failure), took)
        case .signInRequired(let provider, let reason):
            return (.signInRequired(Self.name(provider.name, in: &providers), reason), .zero)
        case .reauthentication(let reason, let who, let after): return (.reauthentication(reason, by: who), after)
        case .firstToken(let source, let took): return (.firstToken(source), took)
        case .signOut(let provider, let outcome):
            return (.signOut(Self.name(provider.name, in: &providers), outcome), .zero)
        case .gate(let locked):
            return (.gate(locked: locked), .zero)
        case .startedOver: return (.startedOver, .zero)
        case .unlock(let choice, let kind, let failure, let took): return (.unlock(choice, kind, failure), took)
        case .pins(let host, let outcome, _): return (.pins(host: Self.name(host, in: &hosts), outcome), .zero)
        case .idTokenPassedOver(let provider, let fault):
            return (.idToken(Self.name(provider.name, in: &providers), fault), .zero)
        case .integrity(let kind): return (.integrity(kind), .zero)
        }
    }

    private static func name(_ name: String, in known: inout Set<String>, most: Int = mostNames) -> String {
        if known.contains(name) { return name }
        guard known.count < most, name.utf8.count <= longestName else { return "other" }
        known.insert(name)
        return name
    }
}

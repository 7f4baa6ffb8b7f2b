import Latchkey

/// Asks the store of a profile what it promises. Why it cannot be used, the checks of files and of sessions say.
enum HealthCheckups {
    static func all(_ workplace: Workplace) async -> [Checkup] {
        guard let health = try? await workplace.places.store(asking: false).health() else { return [] }
        return all(health, workplace.invocation.shown)
    }

    static func all(_ health: StoreHealth, _ texts: ToolTexts) -> [Checkup] {
        let place = health.place ?? texts("doctor.store.somewhere")
        let findings = health.findings.map { Checkup.warn("store", $0, remedy: texts("doctor.store.remedy")) }
        return [durability(health.durability, ["place": place], texts)] + findings
    }

    private static func durability(
        _ durability: StoreHealth.Durability, _ place: [String: String], _ texts: ToolTexts
    ) -> Checkup {
        switch durability {
        case .onReturn: .ok("store", texts("doctor.store.onReturn", place))
        case .within(let time):
            .warn(
                "store",
                texts("doctor.store.within", place.merging(["time": Durations.describe(time)]) { $1 }),
                remedy: texts("doctor.store.remedy"))
        case .none: .warn("store", texts("doctor.store.none", place), remedy: texts("doctor.store.remedy"))
        case .unknown: .ok("store", texts("doctor.store.unknown", place))
        @unknown default: .ok("store", texts("doctor.store.unknown", place))
        }
    }
}

import LatchkeyDevServer

/// Flows at Supabase, of which one request meets a fault.
package enum SupabaseWalks {
    /// Walks every flow at every setting with every fault.
    ///
    /// - Parameters:
    ///   - only: The name of the one walk that is meant, or what the names of several begin with, with its slash;
    ///     `nil` for all.
    ///   - tell: Told at once of each thing that went wrong.
    package static func every(
        only: String? = nil, tell: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> FaultReport {
        try walk(ServiceSetting.all, ServiceFault.allCases, only, tell)
    }

    /// Walks every flow at the setting of a hosted project, with four faults.
    package static func some() throws -> FaultReport {
        let setting = ServiceSetting(name: "v2-10")
        return try walk([setting], [.answerLost, .cut, .page403, .killed], nil, { _ in })
    }

    private static func walk(
        _ settings: [ServiceSetting], _ faults: [ServiceFault], _ only: String?,
        _ tell: @escaping @Sendable (String) -> Void
    ) throws -> FaultReport {
        var report = FaultReport(settings: settings.count, faults: faults.count, tell: tell)
        for setting in settings {
            for flow in PersonFlow.all where mayMean(only, "\(setting.name)/\(flow.name)/") {
                try walk(flow, setting, faults, only, &report)
            }
        }
        return report
    }

    private static func walk(
        _ flow: PersonFlow, _ setting: ServiceSetting, _ faults: [ServiceFault], _ only: String?,
        _ report: inout FaultReport
    ) throws {
        let service = try WalkedService(setting)
        defer { service.server.stop() }
        var plain = FaultWalk(service, flow)
        plain.walk()
        if means(only, plain.name) { report.note(plain) }
        for fault in faults {
            for place in 1...max(1, plain.requests) {
                var walk = FaultWalk(service, flow, fault, at: place)
                guard means(only, walk.name) else { continue }
                walk.walk()
                report.note(walk)
            }
        }
    }

    /// Whether `only` means the walk of that name.
    private static func means(_ only: String?, _ name: String) -> Bool {
        guard let only else { return true }
        return name == only || only.hasSuffix("/") && name.hasPrefix(only)
    }

    /// Whether `only` may mean a walk whose name begins with `start`.
    private static func mayMean(_ only: String?, _ start: String) -> Bool {
        only.map { $0.hasPrefix(start) || start.hasPrefix($0) } ?? true
    }
}

import LatchkeyDevServer

/// One way in which a project is configured.
struct ServiceSetting: Sendable {
    var name: String
    var generation: DevServer.Supabase.TokenGeneration = .v2
    /// In seconds.
    var interval = 10.0
    var confirms = false
    var isSingle = false
    var timeBox: Double?

    static let all: [ServiceSetting] = {
        var all: [ServiceSetting] = []
        for generation in DevServer.Supabase.TokenGeneration.allCases {
            for interval in [0, 10, 60] {
                all.append(
                    ServiceSetting(
                        name: "\(generation.rawValue)-\(interval)", generation: generation, interval: Double(interval)))
            }
        }
        all.append(ServiceSetting(name: "confirm", confirms: true))
        all.append(ServiceSetting(name: "single", isSingle: true))
        all.append(ServiceSetting(name: "time-box", timeBox: 3_600))
        return all
    }()

    func apply(to supabase: inout DevServer.Supabase) {
        supabase.users = []
        supabase.refreshTokens = generation
        supabase.reuseInterval = interval
        supabase.autoconfirms = !confirms
        supabase.allowsOneSession = isSingle
        supabase.timeBox = timeBox
        supabase.resendGap = 0
        supabase.mailsPerHour = 1_000_000
    }
}

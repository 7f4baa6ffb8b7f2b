import LatchkeyDevServer

/// Every kind of sign-in of every kind of person at an instance of every setting.
package enum ClerkWalks {
    /// What the walks showed.
    package struct Report: Sendable {
        package var walks = 0
        package var unexpected = 0
        package var line: String {
            "settings=\(settings.count) people=\(WalkedPerson.allCases.count) methods=\(WalkedWay.allCases.count)"
                + " walks=\(walks) unexpected=\(unexpected)"
        }
    }

    /// Each switch alone, and some together.
    static let settings: [(name: String, settings: Set<DevServer.ClerkSetting>)] = {
        let pairs: [Set<DevServer.ClerkSetting>] = [
            [.singleSession, .rotation], [.singleSession, .setupMFA], [.sessionMinter, .rotation],
            [.sessionMinter, .singleSession], [.passwordless, .legal], [.allowList, .singleSession],
            [.setupMFA, .resetPassword, .chooseOrganization], [.emailLink, .rotation], [.clientTrust, .setupMFA],
        ]
        let all = [[]] + DevServer.ClerkSetting.allCases.map { [$0] } + pairs
        return all.map { settings in
            (settings.isEmpty ? "none" : settings.map(\.rawValue).sorted().joined(separator: "+"), settings)
        }
    }()

    /// Walks all of them, or those whose name begins with `only`.
    package static func every(only: String = "", tell: @escaping @Sendable (String) -> Void) async throws -> Report {
        try await walk { setting, person, way, others in
            "\(setting)/\(person.rawValue)/\(way.rawValue)/\(others)".hasPrefix(only)
        } tell: {
            tell($0)
        }
    }

    /// Walks at the instances that want most, beside one other person.
    package static func some(tell: @escaping @Sendable (String) -> Void) async throws -> Report {
        let chosen = [
            "single-session", "session-minter", "setup-mfa", "reset-password", "choose-organization", "allow-list",
        ]
        return try await walk { setting, person, way, others in
            others == 1 && chosen.contains(setting) && [.password, .new].contains(person)
                && [.password, .code, .browser, .signUp].contains(way)
        } tell: {
            tell($0)
        }
    }

    private static func walk(
        where isMeant: (String, WalkedPerson, WalkedWay, Int) -> Bool, tell: (String) -> Void
    ) async throws -> Report {
        var report = Report()
        for (name, settings) in settings {
            for person in WalkedPerson.allCases {
                for way in WalkedWay.allCases {
                    for others in [0, 1, 4] where isMeant(name, person, way, others) {
                        let instance = try WalkedInstance(settings)
                        defer { instance.server.stop() }
                        var walk = SignInWalk(name, instance, person, way, others: others)
                        await walk.walk()
                        report.walks += 1
                        report.unexpected += walk.unexpected.isEmpty ? 0 : 1
                        for line in walk.unexpected { tell("\(walk.name): \(line)") }
                    }
                }
            }
        }
        return report
    }
}

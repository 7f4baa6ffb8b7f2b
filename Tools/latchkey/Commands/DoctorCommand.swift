import Latchkey
import LatchkeyJSON

extension Option {
    static let offline = flag("offline", "Asks no service")
}

extension Command {
    static let doctor = Command(
        name: "doctor", summary: "Looks for what is wrong, and says what to do about it",
        details: [
            "Looks at the files of the profile, who holds their locks, who is signed in, and at the service: its"
                + " discovery document, TLS and time. Each line is a verdict, ok, warn or fail. Repairs nothing, and"
                + " shows no secret.",
            "Shows the pin of each host of the service that TLS is used with: the SHA-256 digest of the public key in"
                + " its certificate, in base64, as an app's pins name it. Compare it with what the service says before"
                + " you pin it.",
            "Ends with 0 when nothing failed, else with the status of what failed first: 7 for the files, 4 for a"
                + " service that cannot be reached, 8 for the configuration, 9 for what cannot be trusted.",
        ],
        output: [
            ("checks", "A list of objects: check, verdict (ok, warn, fail), message, and remedy unless it is ok"),
            ("profile", "The profile"), ("verdict", "The worst of the verdicts"),
        ],
        options: [.offline, .verbose, .profile, .json],
        run: { invocation in
            let workplace = try Workplace(invocation, invocation.profile())
            var found = EnvironmentCheckups(invocation).all + StoreCheckups(workplace).all
            found += await HealthCheckups.all(workplace)
            found += await SessionCheckups.all(workplace)
            if !invocation.arguments.has(.offline) {
                let time = invocation.arguments.serviceTimeout ?? ServiceCheckups.usualTime
                found += try await ServiceCheckups(
                    profile: workplace.profile, world: invocation.world, texts: invocation.shown,
                    transport: Composition.resourceTransport(for: workplace.profile, in: invocation),
                    keys: KeyCheckups(
                        profile: workplace.profile, texts: invocation.shown,
                        key: { try await Composition.publicKey(of: $0, for: workplace.profile, within: time) }),
                    learnt: try? await workplace.client.serviceClockOffset(), deadline: time
                ).all()
            }
            // What an interruption ended is no finding.
            try Task.checkCancellation()
            try show(found, of: workplace)
            return found.first { $0.verdict == .fail }?.status ?? .success
        })

    private static func show(_ found: [Checkup], of workplace: Workplace) throws {
        let worst = [Checkup.Verdict.fail, .warn].first { verdict in found.contains { $0.verdict == verdict } } ?? .ok
        try workplace.invocation.show(
            [
                "checks": .array(found.map(\.json)), "profile": .string(workplace.profile.name),
                "verdict": .string(worst.rawValue),
            ], found.flatMap { $0.lines(workplace.invocation.texts) })
    }
}

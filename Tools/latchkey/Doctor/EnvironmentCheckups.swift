/// Checks the environment of this program.
struct EnvironmentCheckups {
    let environment: [String: String]
    let texts: ToolTexts

    /// The directory that is accepted as it is.
    let accepted: String?

    init(_ invocation: Invocation) {
        (environment, texts) = (invocation.environment, invocation.shown)
        accepted = invocation.acceptedDirectory
    }

    var all: [Checkup] {
        var found: [Checkup] = []
        if environment["SSLKEYLOGFILE"]?.isEmpty == false {
            found.append(.warn("environment", texts("doctor.keylog"), remedy: texts("doctor.keylog.remedy")))
        }
        if let accepted {
            found.append(
                .warn(
                    "directory", texts("doctor.accepted", ["path": accepted]), remedy: texts("doctor.accepted.remedy")))
        }
        return found
    }
}

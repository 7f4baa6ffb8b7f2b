/// Checks the environment of this program.
struct EnvironmentCheckups {
    let environment: [String: String]
    let texts: ToolTexts

    init(_ invocation: Invocation) { (environment, texts) = (invocation.environment, invocation.shown) }

    var all: [Checkup] {
        guard environment["SSLKEYLOGFILE"]?.isEmpty == false else { return [] }
        return [.warn("environment", texts("doctor.keylog"), remedy: texts("doctor.keylog.remedy"))]
    }
}

/// What there is to say about the environment that this program was started with.
struct EnvironmentCheckups {
    let environment: [String: String]
    let texts: ToolTexts

    init(_ invocation: Invocation) { (environment, texts) = (invocation.environment, invocation.shown) }

    var all: [Checkup] {
        guard environment["SSLKEYLOGFILE"]?.isEmpty == false else { return [] }
        return [.warn("environment", texts("doctor.keylog"), remedy: texts("doctor.keylog.remedy"))]
    }
}

/// What there is to say about the environment that this program was started with.
struct EnvironmentCheckups {
    /// Variables that make TLS worth less, and what each does.
    private static let dangers = [
        ("SSLKEYLOGFILE", "makes TLS write the keys of every connection into a file; who reads it can read the tokens")
    ]

    let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    var all: [Checkup] {
        Self.dangers.filter { environment[$0.0]?.isEmpty == false }.map { name, danger in
            .warn("environment", "$\(name) \(danger)", remedy: "Unset \(name), and remove the file it names")
        }
    }
}

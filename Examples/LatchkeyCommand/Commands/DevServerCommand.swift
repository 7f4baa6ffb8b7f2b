import Latchkey
import LatchkeyJSON

extension Option {
    static let serverPort = value("port", "PORT", .port, "Listens on this port of 127.0.0.1 instead of any free one")
    static let tokenLifetime = value(
        "token-lifetime", "DURATION", .duration, "How long access tokens last, whole seconds; default 5m")
    static let autoApprove = flag("auto-approve", "Signs the first user in without asking")
}

extension Command {
    static let devServer = Command(
        name: "dev-server", summary: "Runs an identity service for development on this machine",
        details: [
            "Runs until Ctrl-C or SIGTERM. Everything is in memory and gone then. For development only: its users'"
                + " passwords are printed on purpose, and it answers this machine alone."
        ],
        output: [
            ("issuer", "Its address, for latchkey login --issuer"),
            ("users", "A list of objects: name, password"),
            ("clients", "A list of objects: clientId, confidential, grants"),
        ],
        options: [.serverPort, .tokenLifetime, .autoApprove, .json],
        run: { _ in throw AuthError(.configuration(.unsupported), "Not built yet.") })
}

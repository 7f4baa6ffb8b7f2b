/// All commands. Parsing, help and the completion scripts come from this table.
enum CommandTable {
    /// The commands, in the order of the help.
    static let commands: [Command] = [
        .login, .answer, .token, .exec, .request, .credential, .status, .whoami, .accounts, .switchAccount, .refresh,
        .logout, .profiles, .events, .log, .supabase, .clerk, .store, .unlock, .lock, .agent, .doctor, .devServer,
        .completions, .help,
    ]

    /// The command called `name`.
    static func command(_ name: String) -> Command? { commands.first { $0.name == name } }
}

extension Workplace {
    /// Makes the profile the default one, and says so if another one was.
    func becomeDefault() throws {
        let store = try invocation.profiles()
        let former = try store.defaultName()
        try store.setDefault(profile.name)
        guard let former, former != profile.name, try store.names().contains(former) else { return }
        let words = invocation.shown(
            "login.newDefault",
            ["profile": profile.name, "former": former, "command": "latchkey profiles use \(former)"])
        invocation.console.note("latchkey: \(Console.printable(words))")
    }
}

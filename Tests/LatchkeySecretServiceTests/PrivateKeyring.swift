#if os(Linux) && SecretService
    import Latchkey
    import LatchkeyTesting
    import Testing

    @testable import LatchkeySecretService

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A bus of its own in a folder of its own, and a real gnome-keyring-daemon on it.
    struct PrivateKeyring {
        static let password = "keyring-password"
        let folder: TemporaryFolder
        let address: String
        let bus: Child
        var daemon: Child?

        /// Runs `body` with a bus, and a keyring where `unlocked` says whether it has an open default collection; `nil`:
        /// without a keyring. Skips the test, with the reason, where a program is missing.
        ///
        /// gnome-keyring 42 to 50 ends itself now and then where clients come and go at once (its work item 199). What
        /// `body` throws after that says nothing of the store, so that it gets a new keyring then, twice at most.
        static func with(unlocked: Bool? = true, _ body: (inout PrivateKeyring) async throws -> Void) async throws {
            for program in ["/usr/bin/dbus-daemon", "/usr/bin/gnome-keyring-daemon", "/usr/bin/python3"]
            where access(program, X_OK) != 0 {
                let reason = "there is no \(program): Scripts/setup --servers installs it"
                if getenv("LATCHKEY_REQUIRE_SERVERS").map({ String(cString: $0) }) == "1" { Issue.record("\(reason)") }
                try Test.cancel("\(reason)")
            }
            for attempt in 1... {
                let isDone = try await TemporaryFolder.with { folder in
                    var keyring = try PrivateKeyring(folder)
                    defer {
                        keyring.daemon?.kill()
                        keyring.bus.kill()
                    }
                    if let unlocked { try await keyring.start(unlocked: unlocked) }
                    do {
                        try await body(&keyring)
                        return true
                    } catch  where attempt < 3 && keyring.daemon?.hasCrashed == true {
                        print("gnome-keyring-daemon has ended itself; once more with a new one, after: \(error)")
                        return false
                    }
                }
                if isDone { return }
            }
        }

        private init(_ folder: TemporaryFolder) throws {
            let configuration = """
                <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
                <busconfig><type>session</type><listen>unix:path=\(folder["bus"])</listen><auth>EXTERNAL</auth>
                <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
                </busconfig>
                """
            let files = SystemFiles()
            try files.writeNew(folder["bus.conf"], Array(configuration.utf8))
            try files.makeDirectory(folder["home"])
            try files.makeDirectory(folder["run"])
            bus = try Child(
                "/usr/bin/dbus-daemon", ["--config-file=\(folder["bus.conf"])", "--nofork", "--print-address"])
            let address = bus.line()
            guard address.hasPrefix("unix:") else { throw Child.Failed(description: "the bus did not start") }
            (self.folder, self.address) = (folder, "unix:path=\(folder["bus"])")
        }

        /// Starts the keyring, and returns when it is on the bus.
        mutating func start(unlocked: Bool = true) async throws {
            daemon = try Child(
                "/usr/bin/gnome-keyring-daemon",
                ["--foreground", "--components=secrets", "--control-directory=\(folder["run"])"]
                    + (unlocked ? ["--unlock"] : []),
                variables: [
                    "DBUS_SESSION_BUS_ADDRESS": address, "HOME": folder["home"], "XDG_RUNTIME_DIR": folder["run"],
                    "XDG_DATA_HOME": folder["home"],
                ], input: unlocked ? Self.password : "")
            try await control("wait")
        }

        /// Does what a person would.
        @discardableResult func control(_ words: String...) async throws -> String {
            let (status, output) = try await Child("/usr/bin/python3", [Self.script, address] + words).ended()
            guard status == 0 else { throw Child.Failed(description: "\(words) ended with \(status)") }
            return output
        }

        static let script = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/control.py"

        var service: SecretServiceKeyring { SecretServiceKeyring(application: "test", busAddress: address) }
        var holder: SecretServiceKeyHolder { SecretServiceKeyHolder(service) }

        func store(_ application: String = "test", _ context: PluginContext = .system) -> SecretServiceStore {
            SecretServiceStore(
                SecretServiceKeyring(application: application, busAddress: address, context: context),
                locksIn: folder["locks-\(application)"])
        }
    }
#endif

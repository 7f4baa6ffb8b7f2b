import Latchkey
import LatchkeyJSON

extension Option {
    static let recoveryCode = flag("recovery-code", "init, add-slot: also prints a recovery code, once")
    static let keyFile = value(
        "key-file", "FILE", .file, "add-slot: a private file with a key, made where it is absent; opens without asking")
    static let inKeyring = flag("in-keyring", "add-slot: a key in the desktop's keyring; opens without asking")
    static let target = value(
        "to", "PLACE", .words(SessionPlace.known.map(\.name)), "migrate: where the session goes")
    static let newKey = flag(
        "new-key", "rekey: a new key for the file itself, after a leak; other slots must be dropped")
    static let yes = flag("yes", "wipe: does it without asking")
    static let setAside = flag("set-aside", "repair: moves a file that cannot be read out of the way")
    static let acceptOlder = flag("accept-older", "repair: takes a file that was put back for the newest one")
}

extension Command {
    static let store = Command(
        name: "store", summary: "Creates, shows, moves and repairs the place of a profile's session",
        details: [
            "\"init\" makes an encrypted file, \"status\" shows what opens it and what a passphrase costs, \"verify\" reads"
                + " everything in it. \"add-slot\" adds a way to open it: another passphrase, or what the options say;"
                + " \"remove-slot N\" takes one away; \"rekey\" changes the passphrase, with --new-key also the key behind it.",
            "\"migrate --to PLACE\" copies every record, reads the copies again, and only then removes the old ones; run again,"
                + " it goes on where it was stopped.",
            "\"wipe\" destroys everything of the profile here: of an encrypted file first what opens it. No service is told;"
                + " \"latchkey logout\" does. \"repair\" makes the file private again, and what its options say.",
        ],
        output: [
            ("profile", "The profile"), ("store", "status: kind, path and open"),
            ("slots", "status: a list of objects: index, kind, source"),
            ("generation", "status: how often it was written"),
            ("size", "status: bytes"), ("suite", "status: what it is encrypted with"),
            ("unlockSeconds", "status: what trying a passphrase takes on this machine"),
            ("records", "verify, migrate: how many"), ("unreadable", "migrate: how many stay because they are damaged"),
            ("recoveryCode", "init, add-slot: the code, shown once"), ("slot", "add-slot: its index"),
            ("repaired", "repair: the paths that were changed"),
        ],
        options: [
            .recoveryCode, .keyFile, .inKeyring, .target, .newKey, .yes, .setAside, .acceptOlder, .passphraseFromInput,
            .profile, .json,
        ],
        operands: [
            Operand(
                placeholder: "ACTION",
                kind: .words([
                    "init", "status", "verify", "add-slot", "remove-slot", "rekey", "migrate", "wipe", "repair",
                ]), count: .one, help: "What to do"),
            Operand(
                placeholder: "SLOT", kind: .text, count: .optional, help: "remove-slot: its number, as status says"),
        ],
        run: { invocation in
            let desk = try StoreDesk(invocation)
            switch invocation.arguments.operands[0] {
            case "init": try await desk.initialise()
            case "status": return try await desk.status()
            case "verify": try await desk.verify()
            case "add-slot": try await desk.addSlot()
            case "remove-slot": try await desk.removeSlot()
            case "rekey": try await desk.rekey()
            case "migrate": try await desk.migrate()
            case "wipe": try await desk.wipe()
            default: try await desk.repair()
            }
            return .success
        })
}

import Latchkey
import LatchkeyDevServer
import Testing

@testable import LatchkeyCommand

extension NoTerminalRow {
    /// Every question of the tool, by every place that asks it.
    static let all = ofLogin + ofAnswer + ofPerson + ofMachine

    private static let told = "There is no terminal to ask at for "

    private static func row(
        _ kind: TerminalQuestion.Kind, _ site: String, _ status: Int32, _ says: String,
        key: String = "error.noTerminal",
        sendsNothing: Bool = false, isLive: Bool = false,
        scene: @escaping @Sendable () throws -> NoTerminalScene = { try NoTerminalScene() }, _ start: @escaping Start
    ) -> NoTerminalRow {
        NoTerminalRow(
            kind: kind, site: site, status: status, key: key, says: says, sendsNothing: sendsNothing, isLive: isLive,
            scene: scene, start: start)
    }

    private static let ofLogin = [
        row(.account, "DirectLogin .account", 2, told + "the mail address or telephone number", sendsNothing: true) {
            $0.project.words([])
        },
        row(.password, "DirectLogin ask", 2, told + "the password", sendsNothing: true) {
            $0.project.words(["--account", Project.ada])
        },
        row(
            .newPassword, "DirectLogin ask", 2, told + "a new password", sendsNothing: true,
            scene: { try NoTerminalScene(recipient: NoTerminalScene.new) }
        ) { $0.project.words(["--sign-up", "--account", NoTerminalScene.new]) },
        row(
            .codeSentTo, "DirectLogin codeSentTo", 8, told + "the code sent to ada@example.test, so nothing was sent",
            key: "error.noTerminalSend", sendsNothing: true
        ) { $0.project.words(["--code", "--account", Project.ada]) },
        row(
            .codeSentTo, "DirectLogin codeSentTo", 8, told + "the code sent to ada@example.test, so nothing was sent",
            key: "error.noTerminalSend", sendsNothing: true
        ) { $0.project.words(["--forgot", "--account", Project.ada]) },
        row(
            .codeSentTo, "DirectLogin codeSentTo", 8, told + "the code sent to ada@example.test, so nothing was sent",
            key: "error.noTerminalSend", sendsNothing: true
        ) { $0.project.words(["--forgot", "--account", Project.ada, "--password-from-stdin"]) },
        row(
            .newPassword, "DirectLogin .newPassword", 8, told + "a new password, so nothing was sent",
            key: "error.noTerminalSend", sendsNothing: true, isLive: true
        ) { $0.project.words(["--forgot", "--account", Project.ada, "--code-from-stdin"]) },
        row(
            .appCode, "PlainPresenter challenge.ask", 8, told + "the code of the authenticator app; with --detach",
            key: "error.noTerminalDetach"
        ) { scene in
            try await scene.project.signIn()
            _ = try await scene.enroll()
            return scene.project.words(["--account", Project.ada, "--password-from-stdin"])
        },
        row(.choice, "PlainPresenter challenge.ask", 8, told + "one of ", key: "error.noTerminalDetach") { scene in
            try await scene.enrollBoth()
            return scene.project.words(["--account", Project.ada, "--password-from-stdin"])
        },
        row(
            .codeSentTo, "PlainPresenter challenge.ask", 8, told + "the code sent to new@example.test; with --detach",
            key: "error.noTerminalDetach", scene: { try NoTerminalScene(recipient: NoTerminalScene.new) }
        ) {
            $0.project.words(["--sign-up", "--account", NoTerminalScene.new, "--password-from-stdin"])
        },
    ]

    private static let ofAnswer = [
        row(.codeSentTo, "Presenters challenge.ask", 8, told + "the code sent to ada@example.test") {
            ["answer", try await $0.begin("--code", "--account", Project.ada)]
        },
        row(.newPassword, "Presenters challenge.ask", 8, told + "a new password") { scene in
            let mail = try await scene.begin("--forgot", "--account", Project.ada)
            return ["answer", try scene.challenge(try await scene.run(["answer", mail, "--code-from-stdin"]))]
        },
        row(.appCode, "Presenters challenge.ask", 8, told + "the code of the authenticator app") { scene in
            try await scene.project.signIn()
            _ = try await scene.enroll()
            return ["answer", try await scene.begin("--account", Project.ada, "--password-from-stdin")]
        },
        row(.choice, "Presenters challenge.ask", 8, told + "one of ") { scene in
            try await scene.enrollBoth()
            return ["answer", try await scene.begin("--account", Project.ada, "--password-from-stdin")]
        },
        row(.arrival, "Presenters challenge.ask", 8, told + "the whole address at which the browser arrived") { scene in
            let id = try await scene.begin("--link", "--account", Project.ada)
            try await scene.follow()
            return ["answer", id]
        },
    ]

    private static let ofPerson = [
        row(.newPassword, "SupabaseDesk+Password ask", 2, told + "a new password") { scene in
            try await scene.project.signIn()
            return ["supabase", "password"]
        },
        // Without a terminal, nothing is asked: the service has refused before, and the hint names the option.
        row(
            .currentPassword, "SupabaseDesk+Password .currentPassword", 6,
            "The service wants the current password too", key: "",
            scene: { try NoTerminalScene { $0.needsCurrentPassword = true } }
        ) { scene in
            try await scene.project.signIn()
            return ["supabase", "password", "--password-from-stdin"]
        },
        row(
            .codeSentTo, "SupabaseDesk+Factors ask", 8, told + "the code sent to new@example.test",
            scene: NoTerminalScene.changing
        ) { scene in
            try await scene.beginChange()
            return ["supabase", "confirm"]
        },
        row(.appCode, "SupabaseDesk+Factors ask", 8, told + "the code of the authenticator app") { scene in
            try await scene.project.signIn()
            return ["supabase", "factors", "verify", try await scene.enroll()]
        },
        row(
            .codeSentTo, "SupabaseDesk+Factors ask", 8, told + "the code sent to +\(NoTerminalScene.phone)",
            isLive: true
        ) { scene in
            try await scene.project.signIn()
            let words = ["supabase", "factors", "enroll", "--phone", "+\(NoTerminalScene.phone)", "--json"]
            let begun = try await scene.run(words)
            #expect(begun.status == 0, "\(begun.errors)")
            return ["supabase", "factors", "verify"]
        },
        row(
            .mailLink, "SupabaseDesk+Open .mailLink", 8, told + "the address of the mail's link",
            scene: NoTerminalScene.changing
        ) { scene in
            try await scene.beginChange()
            try await scene.follow()
            return ["supabase", "open"]
        },
    ]

    private static func robot(_ scene: NoTerminalScene) -> [String] {
        ["login", "--issuer", scene.project.server.issuer, "--client-id", "dev-service", "--client-credentials"]
    }

    private static func encrypt(_ scene: NoTerminalScene) async throws {
        try await scene.project.signIn()
        let moved = try await scene.run(["store", "migrate", "--to", "encrypted", "--passphrase-from-stdin"])
        try #require(moved.status == 0, "\(moved.errors)")
    }

    private static let ofMachine = [
        row(.clientSecret, "ClientSecrets .clientSecret", 8, told + "the client secret", sendsNothing: true) {
            robot($0) + ["--ask-client-secret"]
        },
        row(.clientSecret, "ClientSecrets .clientSecret", 8, told + "the client secret", sendsNothing: true) { scene in
            let login = try await scene.run(robot(scene) + ["--client-secret-file", try scene.secretFile()])
            try #require(login.status == 0, "\(login.errors)")
            let edited = try await scene.run(["profiles", "edit", "default", "--ask-client-secret"])
            try #require(edited.status == 0, "\(edited.errors)")
            return ["refresh"]
        },
        row(
            .passphrase, "ProfileVault .passphrase", 5,
            "The sessions of the profile default are locked, and there is no terminal to ask at for the passphrase",
            key: "error.noTerminalLocked"
        ) { scene in
            try await encrypt(scene)
            return ["token"]
        },
        row(
            .passphrase, "ProfileVault .passphrase", 5,
            "The sessions of the profile default are locked, and there is no terminal to ask at for the passphrase",
            key: "error.noTerminalLocked"
        ) { scene in
            try await encrypt(scene)
            return ["store", "verify"]
        },
        row(.newPassphrase, "ProfileVault .newPassphrase", 2, told + "a new passphrase") { scene in
            try await scene.project.signIn()
            return ["store", "migrate", "--to", "encrypted"]
        },
    ]
}

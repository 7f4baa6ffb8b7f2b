import Latchkey
import LatchkeySupabase

extension Option {
    static let factorName = value("name", "NAME", .text, "enroll: what the factor is called")
    static let phone = value("phone", "NUMBER", .text, "enroll: a telephone instead of an authenticator app")
    static let keepForLater = flag(
        "detach", "enroll, email, phone: ends once it is begun; \"verify\" or \"confirm\" goes on, in any process")
    static let newPasswordFromInput = flag(
        "password-from-stdin", "password: reads the new password from standard input, without asking twice")
    static let currentPasswordFromInput = flag(
        "current-password-from-stdin", "password: reads the current password from the next line of standard input")
    static let takesInvite = flag(
        "invite", "open: takes an invitation; only if you wait for one, as it signs in to the account that it is for")
}

extension Command {
    static let supabase = Command(
        name: "supabase", summary: "Shows and changes the person of a Supabase login",
        details: [
            "\"user\" shows who it is, as the service says now. \"claims\" shows the claims of the access token, checked by"
                + " the project's keys. \"metadata\" shows what the app keeps of the person; \"metadata NAME=VALUE\" sets a"
                + " text, NAME:=JSON any value, and NAME:=null removes it.",
            "\"password\" changes the password: asks for the new one twice, and for the current one or a code if the service"
                + " wants them. \"reauthenticate\" sends that code alone, for --code-from-stdin later. Standard input has, a"
                + " line each, the new password, the current one and the code, those of which an option says so.",
            "\"email ADDRESS\" and \"phone NUMBER\" change the address or the number; a guest becomes a full user by them. The"
                + " code that is sent is asked for, and the old address's too if the project wants both. With --detach,"
                + " --json or no terminal, \"confirm ADDRESS\" goes on, in any process. \"resend\" sends again what is not"
                + " confirmed.",
            "\"factors\" lists the further factors. \"factors enroll\" begins one, an authenticator app by a QR code, and"
                + " asks for its first code; \"factors verify ID\" proves one, now or later; \"factors unenroll ID\""
                + " removes one, for which a verified one must have been proven.",
            "\"identities\" lists the ways to sign in. \"identities link NAME\" adds one in a browser, such as github;"
                + " \"identities unlink ID\" removes one, and the last one stays. \"passkeys\" lists the passkeys;"
                + " \"passkeys rename ID NAME\" and \"passkeys remove ID\" change them. Only a browser can add one.",
            "\"open\" takes a link of a mail (a recovery, an invitation, a change of the address) from the terminal or with"
                + " --redirect-from-stdin, never as an argument: whoever has it is signed in.",
            "No token of the project is shown. \"factors enroll\" shows a secret, and \"provider-token\" prints the token"
                + " of the identity provider; \"provider-token refresh\" prints its refresh token.",
        ],
        output: [
            (
                "user",
                "user: id, email, emailConfirmed, newEmail, phone, phoneConfirmed, newPhone, anonymous, metadata"
            ),
            ("factors", "user, factors: a list of objects: id, type, name, phone, verified"),
            ("identities", "user, identities: a list of objects: id, provider, email"),
            ("changed", "password: true"),
            ("address", "email, phone, confirm: the new address or number"),
            ("confirmed", "email, phone, confirm: whether the change is complete"),
            (
                "waitingFor",
                "email, phone, confirm: a list: the address whose code is wanted next; absent when complete"
            ),
            ("sentTo", "resend, reauthenticate: where the message went"),
            ("metadata", "metadata: the object as it is now"), ("claims", "claims: an object: each claim by its name"),
            ("factor", "factors enroll, verify, unenroll: the factor's id"),
            ("type", "factors enroll: totp or phone"),
            ("uri, secret", "factors enroll: what the authenticator app is given"),
            ("identity", "identities unlink: the identity's id"),
            ("passkeys", "passkeys: a list of objects: id, name"),
            ("passkey", "passkeys rename, remove: the passkey's id"),
            ("token", "provider-token: the token of the identity provider"),
            (
                "opened",
                "open: signedIn, asked (with the members of \"login --detach\"), halfConfirmed or addressChanged"
            ),
            ("account", "identities link, open: the account's id"), ("profile", "The profile"),
        ],
        options: [
            .newPasswordFromInput, .currentPasswordFromInput, .codeFromInput, .redirectFromInput, .factorName, .phone,
            .keepForLater, .takesInvite, .noBrowser, .exposeAddress, .port, .account, .verbose, .profile, .json,
        ],
        operands: [
            Operand(
                placeholder: "WHAT", kind: .words(SupabaseAction.subjects), count: .one, help: "What to show or change"),
            Operand(
                placeholder: "ACTION", kind: .mostly(SupabaseAction.actions), count: .optional,
                help: "What to do about it, list if not given; for email, phone and confirm the address or number"),
            Operand(
                placeholder: "ID", kind: .text, count: .several,
                help: "Which one; for identities link the name of the identity provider"),
        ],
        run: { invocation in
            let (action, operands) = try SupabaseAction.find(invocation)
            try await action.run(try await SupabaseDesk(invocation, operands))
            return .success
        })
}

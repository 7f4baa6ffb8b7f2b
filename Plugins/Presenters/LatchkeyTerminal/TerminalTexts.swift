import Latchkey

/// Every sentence that the presenter shows, in one language. Arguments must be cleaned already.
struct TerminalTexts {
    let language: TerminalLanguage

    private func say(_ key: String, _ values: [String: String] = [:]) -> String {
        Self.table.text(key, in: language, values)
    }

    func code(to address: String?, again: Bool) -> String {
        let place = address.map { say("code.place", ["address": $0]) } ?? ""
        return say("code", ["place": place, "more": again ? say("code.again") : ""])
    }

    func enrolment(key: String, isScanned: Bool) -> String {
        let typed = say("enrolment", ["key": key])
        return isScanned ? typed + scan : typed
    }

    func newPassphrase(_ shortest: Int) -> String { say("passphrase.new", ["count": "\(shortest)"]) }
    func shortPassphrase(_ shortest: Int) -> String { say("passphrase.short", ["count": "\(shortest)"]) }

    func field(_ name: String, isRequired: Bool) -> String {
        say("field", ["name": name, "optional": isRequired ? "" : say("field.optional")])
    }

    func opened(to address: String?, again: Bool) -> String {
        say("link", ["place": address.map { say("link.place", ["address": $0]) } ?? ""])
            + (again ? say("link.again") : "")
    }

    func device(at place: String, code: String) -> String { say("device", ["place": place, "code": code]) }

    var totp: String { say("totp") }
    var backupCode: String { say("backupCode") }
    var password: String { say("password") }
    var newPassword: String { say("password.new") }
    var repeated: String { say("repeated") }
    var different: String { say("different") }
    var tooLong: String { say("tooLong") }
    var passphrase: String { say("passphrase") }
    var recoveryCode: String { say("recoveryCode") }
    var pin: String { say("pin") }
    var rules: String { say("rules") }
    var choice: String { say("choice") }
    var openThis: String { say("visit") }
    var arrived: String { say("arrived") }
    var arrivedInstead: String { say("arrived.instead") }
    var linkArrived: String { say("link.arrived") }
    var scan: String { say("scan") }
    var waiting: String { say("waiting") }
}

extension TerminalTexts {
    static let table = TextTable([
        "code": [.english: "Code{place}{more}: ", .french: "Code{place}{more} : "],
        "code.place": [.english: " sent to {address}", .french: " envoyé à {address}"],
        "code.again": [.english: " (or \"again\" for another)", .french: " (ou « encore » pour un autre)"],
        "totp": [.english: "Code of the authenticator app: ", .french: "Code de l’application d’authentification : "],
        "enrolment": [
            .english: "Set up an authenticator app with this key:\n\n    {key}\n\n",
            .french: "Configurez une application d’authentification avec cette clé :\n\n    {key}\n\n",
        ],
        "backupCode": [.english: "Backup code: ", .french: "Code de secours : "],
        "password": [.english: "Password: ", .french: "Mot de passe : "],
        "password.new": [.english: "New password: ", .french: "Nouveau mot de passe : "],
        "repeated": [.english: "Once more: ", .french: "Encore une fois : "],
        "different": [.english: "The two are not the same.\n", .french: "Les deux ne sont pas identiques.\n"],
        "tooLong": [.english: "The line is too long.\n", .french: "La ligne est trop longue.\n"],
        "passphrase": [.english: "Passphrase: ", .french: "Phrase de passe : "],
        "passphrase.new": [
            .english: "New passphrase, {count} characters or more, such as four words: ",
            .french: "Nouvelle phrase de passe, {count} caractères ou plus, par exemple quatre mots : ",
        ],
        "passphrase.short": [
            .english: "It has fewer than {count} characters.\n", .french: "Elle a moins de {count} caractères.\n",
        ],
        "recoveryCode": [.english: "Recovery code: ", .french: "Code de récupération : "],
        "pin": [.english: "PIN: ", .french: "Code PIN : "],
        "rules": [.english: "The password must satisfy:\n", .french: "Le mot de passe doit respecter :\n"],
        "choice": [.english: "Number: ", .french: "Numéro : "],
        "visit": [
            .english: "Open this address in a browser:\n", .french: "Ouvrez cette adresse dans un navigateur :\n",
        ],
        "field": [.english: "{name}{optional}: ", .french: "{name}{optional} : "],
        "field.optional": [.english: " (may stay empty)", .french: " (facultatif)"],
        "link": [.english: "A link was sent{place}.\n", .french: "Un lien a été envoyé{place}.\n"],
        "link.again": [
            .english: "Type \"again\" for another.\n", .french: "Tapez « encore » pour un autre.\n",
        ],
        "link.place": [.english: " to {address}", .french: " à {address}"],
        "arrived": [
            .english: "Then paste the address from the browser here (input is hidden): ",
            .french: "Collez ensuite ici l’adresse du navigateur (saisie masquée) : ",
        ],
        "arrived.instead": [
            .english: "Or paste the address from the browser here (input is hidden): ",
            .french: "Ou collez ici l’adresse du navigateur (saisie masquée) : ",
        ],
        "link.arrived": [
            .english: "Open it, then paste the address from the browser here, or the mail's code (input is hidden): ",
            .french: "Ouvrez-le, puis collez ici l’adresse du navigateur, ou le code du message (saisie masquée) : ",
        ],
        "device": [
            .english: "Open {place} on any device and enter this code:\n\n    {code}\n\n",
            .french: "Ouvrez {place} sur un appareil et saisissez ce code :\n\n    {code}\n\n",
        ],
        "scan": [.english: "Or scan:\n", .french: "Ou scannez :\n"],
        "waiting": [
            .english: "Waiting for the other device (Ctrl-C to stop).\n",
            .french: "En attente de l’autre appareil (Ctrl-C pour arrêter).\n",
        ],
    ])
}

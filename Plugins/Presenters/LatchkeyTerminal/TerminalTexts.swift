/// Every sentence the presenter shows, in one language. Arguments are clean already.
struct TerminalTexts {
    let language: TerminalLanguage

    private func say(_ english: String, _ french: String) -> String { language == .french ? french : english }

    func code(to address: String?, again: Bool) -> String {
        let place = address.map { say(" sent to \($0)", " envoyé à \($0)") } ?? ""
        let more = again ? say(" (or \"again\" for another)", " (ou « encore » pour un autre)") : ""
        return say("Code\(place)\(more): ", "Code\(place)\(more) : ")
    }

    var totp: String { say("Code of the authenticator app: ", "Code de l’application d’authentification : ") }
    func enrolment(key: String, isScanned: Bool) -> String {
        let typed = say(
            "Set up an authenticator app with this key:\n\n    \(key)\n\n",
            "Configurez une application d’authentification avec cette clé :\n\n    \(key)\n\n")
        return isScanned ? typed + scan : typed
    }

    var backupCode: String { say("Backup code: ", "Code de secours : ") }
    var password: String { say("Password: ", "Mot de passe : ") }
    var newPassword: String { say("New password: ", "Nouveau mot de passe : ") }
    var repeated: String { say("Once more: ", "Encore une fois : ") }
    var different: String { say("The two are not the same.\n", "Les deux ne sont pas identiques.\n") }
    var tooLong: String { say("The line is too long.\n", "La ligne est trop longue.\n") }
    var passphrase: String { say("Passphrase: ", "Phrase de passe : ") }
    var recoveryCode: String { say("Recovery code: ", "Code de récupération : ") }
    var pin: String { say("PIN: ", "Code PIN : ") }
    func newPassphrase(_ shortest: Int) -> String {
        say(
            "New passphrase, \(shortest) characters or more, such as four words: ",
            "Nouvelle phrase de passe, \(shortest) caractères ou plus, par exemple quatre mots : ")
    }
    func shortPassphrase(_ shortest: Int) -> String {
        say(
            "It has fewer than \(shortest) characters.\n", "Elle a moins de \(shortest) caractères.\n")
    }
    var rules: String { say("The password must satisfy:\n", "Le mot de passe doit respecter :\n") }
    var choice: String { say("Number: ", "Numéro : ") }
    var openThis: String { say("Open this address in a browser:\n", "Ouvrez cette adresse dans un navigateur :\n") }

    func field(_ name: String, isRequired: Bool) -> String {
        let optional = isRequired ? "" : say(" (may stay empty)", " (facultatif)")
        return say("\(name)\(optional): ", "\(name)\(optional) : ")
    }

    func opened(to address: String?) -> String {
        let place = address.map { say(" to \($0)", " à \($0)") } ?? ""
        return say("A link was sent\(place).\n", "Un lien a été envoyé\(place).\n")
    }

    var arrived: String {
        say(
            "Then paste the address at which it arrived (it does not show): ",
            "Collez ensuite l’adresse d’arrivée (elle ne s’affiche pas) : ")
    }

    var linkArrived: String {
        say(
            "Open it, and paste the address at which it arrived, or the code beside it (it does not show): ",
            "Ouvrez-le, puis collez l’adresse d’arrivée, ou le code joint (rien ne s’affiche) : ")
    }

    func device(at place: String, code: String) -> String {
        say(
            "Open \(place) on any device and enter this code:\n\n    \(code)\n\n",
            "Ouvrez \(place) sur un appareil et saisissez ce code :\n\n    \(code)\n\n")
    }

    var scan: String { say("Or scan:\n", "Ou scannez :\n") }
    var waiting: String { say("Waiting for the other device …\n", "En attente de l’autre appareil…\n") }
}

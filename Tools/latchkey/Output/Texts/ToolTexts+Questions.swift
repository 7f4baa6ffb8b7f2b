import Latchkey

extension ToolTexts {
    /// What the tool asks for, as it stands in a sentence, and what is said where there is no terminal to ask at.
    static let questions: [String: [TextLanguage: String]] = [
        "question.account": [
            .english: "the mail address or telephone number of the account",
            .french: "l’adresse ou le numéro de téléphone du compte",
        ],
        "question.password": [.english: "the password", .french: "le mot de passe"],
        "question.newPassword": [.english: "a new password", .french: "un nouveau mot de passe"],
        "question.currentPassword": [.english: "the current password", .french: "le mot de passe actuel"],
        "question.code": [.english: "the code that was sent", .french: "le code envoyé"],
        "question.codeSentTo": [
            .english: "the code sent to {address}", .french: "le code envoyé à {address}",
        ],
        "question.appCode": [
            .english: "the code of the authenticator app", .french: "le code de l’application d’authentification",
        ],
        "question.backupCode": [.english: "a backup code", .french: "un code de secours"],
        "question.mailLink": [.english: "the address of the mail's link", .french: "l’adresse du lien du message"],
        "question.arrival": [
            .english: "the whole address at which the browser arrived",
            .french: "l’adresse entière où le navigateur est arrivé",
        ],
        "question.choice": [.english: "one of {choices}", .french: "un choix parmi {choices}"],
        "question.form": [
            .english: "the form that the service wants filled in", .french: "le formulaire que le service veut rempli",
        ],
        "question.signature": [
            .english: "the signature of a passkey or wallet",
            .french: "la signature d’une clé d’accès ou d’un portefeuille",
        ],
        "question.clientSecret": [.english: "the client secret", .french: "le secret du client"],
        "question.passphrase": [
            .english: "the passphrase of the encrypted sessions", .french: "la phrase de passe des sessions chiffrées",
        ],
        "question.newPassphrase": [.english: "a new passphrase", .french: "une nouvelle phrase de passe"],
        "stray.pasteOrRun": [
            .english: "Paste the address of the page that the browser shows now, or stop this and run: {command}",
            .french: "Collez l’adresse de la page que le navigateur montre maintenant, ou arrêtez ceci et lancez :"
                + " {command}",
        ],
        "stray.paste": [
            .english: "Paste the address of the page that the browser shows now",
            .french: "Collez l’adresse de la page que le navigateur montre maintenant",
        ],
        "stray.run": [
            .english: "To go on, stop this and run: {command}",
            .french: "Pour continuer, arrêtez ceci et lancez : {command}",
        ],
        "error.noTerminal": [
            .english: "There is no terminal to ask at for {question}",
            .french: "Il n’y a pas de terminal où demander {question}",
        ],
        "error.noTerminalDetach": [
            .english:
                "There is no terminal to ask at for {question}; with --detach, \"latchkey answer\" can give the answer",
            .french:
                "Il n’y a pas de terminal où demander {question} ; avec --detach, « latchkey answer » peut répondre",
        ],
        "error.noTerminalSend": [
            .english:
                "There is no terminal to ask at for {question}, so nothing was sent; with --detach, \"latchkey answer\" can give the answer",
            .french:
                "Il n’y a pas de terminal où demander {question}, donc rien n’a été envoyé ; avec --detach, « latchkey answer » peut répondre",
        ],
        "error.noTerminalLocked": [
            .english:
                "The sessions of the profile {profile} are locked, and there is no terminal to ask at for {question}",
            .french:
                "Les sessions du profil {profile} sont verrouillées, et il n’y a pas de terminal où demander {question}",
        ],
        "hint.questionInput": [
            .english: "Give it by standard input: {option}", .french: "Répondez par l’entrée standard : {option}",
        ],
        "hint.atTerminal": [
            .english: "Run the command at a terminal", .french: "Lancez la commande dans un terminal",
        ],
        "hint.atTerminalOrDecline": [
            .english: "Run the command at a terminal, or say no by: {command}",
            .french: "Lancez la commande dans un terminal, ou refusez par : {command}",
        ],
        "hint.secretFile": [
            .english: "Give {option} in place of {instead}", .french: "Donnez {option} à la place de {instead}",
        ],
    ]
}

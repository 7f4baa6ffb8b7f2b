import Latchkey

extension ToolTexts {
    /// What to do about places that the tool cannot use, and about files that somebody else manages.
    static let places: [String: [TextLanguage: String]] = [
        "hint.foreignHome": [
            .english:
                "HOME is that of user {owner}; this runs as {user}, and leaves it alone. Run it as {owner}, or set HOME to the home of {user}",
            .french:
                "HOME est celui de l’utilisateur {owner} ; la commande tourne comme {user} et n’y touche pas. Lancez-la comme {owner}, ou donnez à HOME le dossier de {user}",
        ],
        "hint.foreignRuntime": [
            .english:
                "{variable} is that of user {owner}; this runs as {user}, and leaves it alone. Run it without: {command}",
            .french:
                "{variable} est celui de l’utilisateur {owner} ; la commande tourne comme {user} et n’y touche pas. Lancez-la sans : {command}",
        ],
        "hint.noHome": [
            .english: "Set HOME to your home directory, or XDG_CONFIG_HOME and XDG_DATA_HOME to directories of yours",
            .french:
                "Donnez à HOME votre dossier personnel, ou à XDG_CONFIG_HOME et XDG_DATA_HOME des dossiers à vous",
        ],
        "error.notUTF8": [
            .english: "{variable} is not in UTF-8, so the directory that it names cannot be used",
            .french: "{variable} n’est pas en UTF-8, le dossier qu’elle nomme est donc inutilisable",
        ],
        "hint.fileInstead": [
            .english: "Move that file away, or name another directory by XDG_DATA_HOME and XDG_CONFIG_HOME",
            .french: "Déplacez ce fichier, ou nommez un autre dossier par XDG_DATA_HOME et XDG_CONFIG_HOME",
        ],
        "hint.unusablePlace": [
            .english:
                "Look at its owner and modes (ls -ld), and at the disk; or name others by XDG_DATA_HOME and XDG_CONFIG_HOME",
            .french:
                "Regardez son propriétaire et ses droits (ls -ld), et le disque ; ou nommez-en d’autres par XDG_DATA_HOME et XDG_CONFIG_HOME",
        ],
        "hint.otherPlace": [
            .english: "Keep it below a directory that only you can change",
            .french: "Gardez-le sous un dossier que vous seul pouvez modifier",
        ],
        "hint.closeOwn": [
            .english: "Close it: {command}; then check who used it",
            .french: "Fermez-le : {command} ; puis vérifiez qui l’a utilisé",
        ],
        "hint.movePlace": [
            .english: "Set {variables} to a directory that only you can change",
            .french: "Donnez à {variables} un dossier que vous seul pouvez modifier",
        ],
        "hint.acceptPlace": [
            .english:
                "Set {variables} to a directory that only you can change. If there is none, take this one with the access that others have: {command}",
            .french:
                "Donnez à {variables} un dossier que vous seul pouvez modifier. S’il n’y en a pas, prenez celui-ci avec l’accès des autres : {command}",
        ],
        "hint.secretPlace": [
            .english: "Keep it in a file that only you can read, or in one of root's that others cannot change",
            .french:
                "Gardez-le dans un fichier que vous seul pouvez lire, ou dans un fichier de root que d’autres ne peuvent modifier",
        ],
        "hint.secretAgain": [
            .english: "It can be read once; give it again, or name a file: {command}",
            .french: "Il ne se lit qu’une fois ; donnez-le encore, ou nommez un fichier : {command}",
        ],
        "hint.profileManaged": [
            .english: "Change it there; this file is only a link to it",
            .french: "Modifiez-le là-bas ; ce fichier n’en est qu’un lien",
        ],
        "error.profileManaged": [
            .english: "{what} is managed elsewhere, at {path}, which this user cannot write",
            .french: "{path} ({what}) est géré ailleurs, et cet utilisateur ne peut pas l’écrire",
        ],
        "error.secretDescriptor": [
            .english: "The client's secret is not there: {path} is closed, or holds nothing",
            .french: "Le secret du client n’est pas là : {path} est fermé, ou vide",
        ],
        "note.secretLines": [
            .english: "{path} has more than one line: the first one is the client's secret",
            .french: "{path} a plus d’une ligne : la première est le secret du client",
        ],
        "note.secretReadable": [
            .english: "other users of this machine may read the client's secret at {path}",
            .french: "d’autres utilisateurs de cette machine peuvent lire le secret du client dans {path}",
        ],
        "note.secretOnce": [
            .english: "the profile remembers {path}, and not the secret: later commands must be given it there again",
            .french: "le profil retient {path}, et non le secret : il faudra le redonner là aux commandes suivantes",
        ],
    ]
}

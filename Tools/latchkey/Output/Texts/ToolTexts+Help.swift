import Latchkey

extension ToolTexts {
    /// The frame of the help, and the meanings of exit statuses.
    static let help: [String: [TextLanguage: String]] = [
        "exit.success": [.english: "Done", .french: "C’est fait"],
        "exit.failure": [
            .english: "The output could not be written, or an unexpected error occurred",
            .french: "La sortie n’a pas pu être écrite, ou quelque chose d’imprévu",
        ],
        "exit.usage": [.english: "The command line is wrong", .french: "La ligne de commande est erronée"],
        "exit.signIn": [
            .english: "Nobody is signed in, or must sign in again",
            .french: "Personne n’est connecté, ou il faut se reconnecter",
        ],
        "exit.later": [
            .english: "The service cannot be reached or is busy; try later",
            .french: "Le service est injoignable ou occupé ; réessayez plus tard",
        ],
        "exit.locked": [.english: "Locked; unlock first", .french: "Verrouillé ; déverrouillez d’abord"],
        "exit.refused": [
            .english: "What was given was refused, or the person said no",
            .french: "Ce qui a été donné a été refusé, ou la personne a dit non",
        ],
        "exit.store": [
            .english: "The store is damaged, open to others, full or cannot be written",
            .french: "L’emplacement est endommagé, ouvert à d’autres, plein ou non modifiable",
        ],
        "exit.configuration": [
            .english: "The configuration is wrong, or has changed since the sign-in",
            .french: "La configuration est erronée, ou a changé depuis la connexion",
        ],
        "exit.untrusted": [
            .english: "An answer cannot be trusted; look before you repeat it",
            .french: "Une réponse n’est pas digne de confiance ; regardez avant de recommencer",
        ],
        "exit.redirected": [
            .english: "request: the answer is a redirect, which was not followed",
            .french: "request : la réponse est une redirection, qui n’a pas été suivie",
        ],
        "exit.cannotRun": [
            .english: "exec: the program was found and cannot be run",
            .french: "exec : le programme existe et ne peut pas être lancé",
        ],
        "exit.notFound": [.english: "exec: the program was not found", .french: "exec : le programme est introuvable"],
        "exit.interrupted": [.english: "Interrupted (Ctrl-C)", .french: "Interrompu (Ctrl-C)"],
        "exit.brokenPipe": [
            .english: "The program that read the output ended", .french: "Celui qui lisait la sortie est parti",
        ],
        "exit.terminated": [
            .english: "Ended by SIGTERM; the dev-server ends with 0 then",
            .french: "Terminé par SIGTERM ; dev-server finit alors par 0",
        ],
        "help.program": [
            .english: "Signs you in with an identity service, keeps the session, and gives its tokens to programs.",
            .french:
                "Vous connecte auprès d’un service d’identité, garde la session, et donne ses jetons aux programmes.",
        ],
        "help.usage": [.english: "Usage: {usage}", .french: "Usage : {usage}"],
        "help.commands": [.english: "Commands:", .french: "Commandes :"],
        "help.environment": [.english: "Environment:", .french: "Environnement :"],
        "help.exit": [.english: "Exit status:", .french: "Code de retour :"],
        "help.operands": [.english: "Operands:", .french: "Opérandes :"],
        "help.options": [.english: "Options:", .french: "Options :"],
        "help.examples": [.english: "Examples:", .french: "Exemples :"],
        "help.output": [.english: "Output with --json:", .french: "Sortie avec --json :"],
        "help.repeats": [.english: "; may be given several times", .french: " ; peut être donné plusieurs fois"],
        "help.errors": [
            .english:
                "Errors are one line on standard error, and usually a second line that says what to do. With --json they are one JSON object: code, message, recovery; retryAfterSeconds and serviceCode where they are known.",
            .french:
                "Une erreur est une ligne sur l’erreur standard, le plus souvent suivie d’une autre qui dit quoi faire. Avec --json c’est un objet JSON : code, message, recovery ; retryAfterSeconds et serviceCode s’ils sont connus.",
        ],
        "help.more": [
            .english: "Run \"latchkey help COMMAND\" for a command's options.",
            .french: "Lancez « latchkey help COMMANDE » pour les options d’une commande.",
        ],
        "help.list": [.english: "Shows the commands", .french: "Montre les commandes"],
        "help.version": [.english: "Shows the version", .french: "Montre la version"],
        "help.LATCHKEY_PROFILE": [
            .english: "The profile to use where --profile is not given",
            .french: "Le profil à utiliser quand --profile n’est pas donné",
        ],
        "help.LATCHKEY_STORE": [
            .english: "The least protection that a session's place must have: file, keyring or encrypted",
            .french: "Ce que vaut au moins l’emplacement d’une session : file, keyring ou encrypted",
        ],
        "help.LATCHKEY_CLIENT_SECRET": [
            .english: "The client's secret, for profiles that --client-secret-env lets take it from here",
            .french: "Le secret du client, pour les profils à qui --client-secret-env permet de le prendre ici",
        ],
        "help.XDG_CONFIG_HOME": [
            .english: "Where profiles are kept, in latchkey/profiles; default ~/.config",
            .french: "Où sont les profils, dans latchkey/profiles ; ~/.config par défaut",
        ],
        "help.LATCHKEY_ACCEPT_DIRECTORY": [
            .english: "One directory that is used although its modes let others in; doctor shows it",
            .french: "Un dossier qui sert bien que ses modes y laissent d’autres ; doctor le montre",
        ],
        "help.BROWSER": [
            .english: "The program that opens addresses, instead of the desktop's own",
            .french: "Le programme qui ouvre les adresses, à la place de celui du bureau",
        ],
        "help.NO_COLOR": [
            .english: "Leaves colours out of what the terminal shows, unless it is empty",
            .french: "Enlève les couleurs de ce que montre le terminal, sauf si elle est vide",
        ],
        "help.TERM": [
            .english: "With dumb, only lines are written to the terminal: no colours, no QR codes",
            .french: "Avec dumb, seules des lignes sont écrites au terminal : ni couleurs ni codes QR",
        ],
        "help.LC_ALL": [
            .english: "The language: English, or French where this, LC_MESSAGES or LANG begins with fr",
            .french: "La langue : l’anglais, ou le français si elle, LC_MESSAGES ou LANG commence par fr",
        ],
    ]
}

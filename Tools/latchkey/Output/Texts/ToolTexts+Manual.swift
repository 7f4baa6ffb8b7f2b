import Latchkey

extension ToolTexts {
    /// The manual page, beside what it shares with the help.
    static let manual: [String: [TextLanguage: String]] = [
        "manual.title": [.english: "Latchkey Manual", .french: "Manuel de Latchkey"],
        "manual.name": [.english: "NAME", .french: "NOM"],
        "manual.synopsis": [.english: "SYNOPSIS", .french: "SYNOPSIS"],
        "manual.description": [.english: "DESCRIPTION", .french: "DESCRIPTION"],
        "manual.commands": [.english: "COMMANDS", .french: "COMMANDES"],
        "manual.environment": [.english: "ENVIRONMENT", .french: "ENVIRONNEMENT"],
        "manual.files": [.english: "FILES", .french: "FICHIERS"],
        "manual.exit": [.english: "EXIT STATUS", .french: "CODE DE RETOUR"],
        "manual.examples": [.english: "EXAMPLES", .french: "EXEMPLES"],
        "manual.purpose": [
            .english: "sign in with an identity service, and give its tokens to programs",
            .french: "se connecter auprès d’un service d’identité, et donner ses jetons aux programmes",
        ],
        "manual.file.profiles": [
            .english: "Profiles: where to sign in, and as which client; default ~/.config/latchkey/profiles",
            .french: "Les profils : où se connecter, et comme quel client ; ~/.config/latchkey/profiles par défaut",
        ],
        "manual.file.sessions": [
            .english: "Sessions in files, encrypted or not, and security logs; default ~/.local/share/latchkey",
            .french:
                "Les sessions en fichiers, chiffrés ou non, et les journaux de sécurité ; ~/.local/share/latchkey par défaut",
        ],
        "manual.file.anchors": [
            .english:
                "What shows that an encrypted file was put back to an older state; default ~/.local/state/latchkey/anchors",
            .french:
                "Ce qui montre qu’un fichier chiffré a été ramené à un état antérieur ; ~/.local/state/latchkey/anchors par défaut",
        ],
        "manual.file.runtime": [
            .english: "The agent's socket, locks, and the token files of exec --refresh, while they are used",
            .french: "Le socket de l’agent, les verrous et les fichiers de exec --refresh, tant qu’ils servent",
        ],
        "manual.example.login": [
            .english: "Sign in with the browser. The profile keeps the address and the client:",
            .french: "Se connecter par le navigateur. Le profil retient l’adresse et le client :",
        ],
        "manual.example.device": [
            .english: "Sign in again from a machine without a browser, with a code for another device:",
            .french: "Se reconnecter depuis une machine sans navigateur, avec un code pour un autre appareil :",
        ],
        "manual.example.exec": [
            .english: "Run a program that finds an access token in LATCHKEY_ACCESS_TOKEN:",
            .french: "Lancer un programme qui trouve un jeton d’accès dans LATCHKEY_ACCESS_TOKEN :",
        ],
        "manual.example.request": [
            .english: "Send one request with a token:", .french: "Envoyer une requête avec un jeton :",
        ],
        "manual.example.token": [
            .english: "Print an access token that lasts for ten minutes or more, or fail:",
            .french: "Afficher un jeton d’accès qui dure encore dix minutes au moins, ou échouer :",
        ],
        "manual.example.status": [
            .english: "See who is signed in, in a program's words:",
            .french: "Voir qui est connecté, pour un programme :",
        ],
        "manual.example.logout": [
            .english: "Sign out, here and at the service:", .french: "Se déconnecter, ici et auprès du service :",
        ],
    ]
}

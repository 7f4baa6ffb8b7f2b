import Latchkey

/// What the tool says to people about sessions, in their language. What programs read, and the help, is English.
struct ToolTexts: Hashable, Sendable {
    let language: TextLanguage

    /// For what is English everywhere.
    static let english = ToolTexts(language: .english)

    init(language: TextLanguage) { self.language = language }

    init(_ environment: [String: String]) { language = TextLanguage(environment: environment) }

    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        Self.table.text(key, in: language, values)
    }

    static let table = TextTable([
        "label.profile": [.english: "profile", .french: "profil"],
        "label.issuer": [.english: "issuer", .french: "service"],
        "label.store": [.english: "store", .french: "emplacement"],
        "label.account": [.english: "account", .french: "compte"],
        "label.state": [.english: "state", .french: "état"],
        "label.access": [.english: "access", .french: "accès"],
        "label.problem": [.english: "problem", .french: "problème"],
        "label.pending": [.english: "pending", .french: "en attente"],
        "label.next": [.english: "next", .french: "ensuite"],
        "until": [.english: "until {date}", .french: "jusqu’au {date}"],
        "ago": [.english: "{time} ago", .french: "il y a {time}"],
        "in": [.english: "in {time}", .french: "dans {time}"],
        "pending": [
            .english: "{count} sign-outs the service has not been told yet",
            .french: "{count} déconnexions que le service ignore encore",
        ],
        "state.restoring": [.english: "being read", .french: "en cours de lecture"],
        "state.signedOut": [.english: "signed out", .french: "déconnecté"],
        "state.locked": [.english: "locked", .french: "verrouillé"],
        "state.fresh": [.english: "signed in", .french: "connecté"],
        "state.stale": [
            .english: "signed in; the next token is fetched when it is needed",
            .french: "connecté ; le prochain jeton est demandé quand il le faut",
        ],
        "state.offline": [
            .english: "signed in; the service cannot be reached", .french: "connecté ; le service est injoignable",
        ],
        "state.signInRequired": [
            .english: "must sign in again ({reason})", .french: "doit se reconnecter ({reason})",
        ],
        "place.file": [.english: "unencrypted files at {path}", .french: "fichiers non chiffrés dans {path}"],
        "place.keyring": [.english: "the desktop's keyring", .french: "le trousseau du bureau"],
        "place.encrypted": [
            .english: "the encrypted file {path}{open}", .french: "le fichier chiffré {path}{open}",
        ],
        "place.unlocked": [.english: " (unlocked)", .french: " (déverrouillé)"],
        "place.locked": [.english: " (locked)", .french: " (verrouillé)"],
        "place.unknown": [
            .english: "a place that this version does not know: {name}",
            .french: "un emplacement que cette version ne connaît pas : {name}",
        ],
        "login.done": [
            .english: "Signed in as {account} (profile {profile}).",
            .french: "Connecté en tant que {account} (profil {profile}).",
        ],
        "login.place": [.english: "The session is in {place}.", .french: "Emplacement de la session : {place}."],
        "login.encrypt": [.english: "To encrypt it: {command}", .french: "Pour la chiffrer : {command}"],
        "logout.revoked": [.english: "Signed out.", .french: "Déconnecté."],
        "logout.queued": [
            .english: "Signed out here. The service could not be told yet; the next login, refresh or logout does.",
            .french:
                "Déconnecté ici. Le service n’a pas pu être prévenu ; le prochain login, refresh ou logout le fera.",
        ],
        "logout.local": [
            .english: "Signed out here. The service cannot be told; its tokens end by themselves.",
            .french: "Déconnecté ici. Le service ne peut pas être prévenu ; ses jetons expirent d’eux-mêmes.",
        ],
        "logout.nobody": [.english: "Nobody was signed in.", .french: "Personne n’était connecté."],
        "refreshed": [.english: "Refreshed.", .french: "Renouvelé."],
        "refreshed.until": [.english: "Refreshed; access {until}.", .french: "Renouvelé ; accès {until}."],
        "unlocked": [.english: "Unlocked for {time}.", .french: "Déverrouillé pour {time}."],
        "locked": [.english: "Locked.", .french: "Verrouillé."],
        "locked.already": [.english: "Nothing was unlocked.", .french: "Rien n’était déverrouillé."],
        "agent.none": [.english: "No agent is running.", .french: "Aucun agent n’est en marche."],
        "agent.one": [
            .english: "An agent keeps the key of an encrypted file for another {time}.",
            .french: "Un agent garde la clé d’un fichier chiffré pendant encore {time}.",
        ],
        "agent.running": [
            .english: "An agent keeps the keys of {count} encrypted files for another {time}.",
            .french: "Un agent garde les clés de {count} fichiers chiffrés pendant encore {time}.",
        ],
        "unlock.reason": [
            .english: "Open the sessions of the profile {profile}", .french: "Ouvrir les sessions du profil {profile}",
        ],
        "passphrase.reason": [
            .english: "The sessions of the profile {profile} will be encrypted",
            .french: "Les sessions du profil {profile} vont être chiffrées",
        ],
        "hint": [.english: "hint: {hint}", .french: "conseil : {hint}"],
        "hint.run": [.english: "Run: {command}", .french: "Lancez : {command}"],
        "hint.first": [
            .english: "Run: {oauth}, or: {supabase}", .french: "Lancez : {oauth}, ou : {supabase}",
        ],
        "hint.grace": [
            .english: "Connect to the network once to go on",
            .french: "Connectez-vous une fois au réseau pour continuer",
        ],
        "hint.network": [
            .english: "Check the network and try again", .french: "Vérifiez le réseau et réessayez",
        ],
        "hint.later": [.english: "Try again later", .french: "Réessayez plus tard"],
        "hint.laterBy": [.english: "Try again in {time}", .french: "Réessayez dans {time}"],
        "hint.otherUnlock": [
            .english: "Unlock in another way, or sign in again",
            .french: "Déverrouillez autrement, ou reconnectez-vous",
        ],
        "hint.unchanged": [
            .english: "Nothing was changed; run the command again to try once more",
            .french: "Rien n’a changé ; relancez la commande pour réessayer",
        ],
        "hint.scope": [
            .english: "Ask for other scopes or another audience",
            .french: "Demandez d’autres droits ou un autre destinataire",
        ],
        "hint.correct": [
            .english: "Correct what was entered and run the command again",
            .french: "Corrigez la saisie et relancez la commande",
        ],
        "hint.insecure": [
            .english: "Make it private by the command it names (chmod 600 for a file), then check who used it",
            .french:
                "Rendez-le privé par la commande indiquée (chmod 600 pour un fichier), puis vérifiez qui l’a utilisé",
        ],
        "hint.damaged": [
            .english: "The record is kept as it is; move it away and sign in again: {command}",
            .french: "L’enregistrement est gardé tel quel ; déplacez-le et reconnectez-vous : {command}",
        ],
        "hint.tampered": [
            .english: "Look who can write there before you trust it again; then sign in again: {command}",
            .french: "Vérifiez qui peut y écrire avant de vous y fier ; puis reconnectez-vous : {command}",
        ],
        "hint.rolledBack": [
            .english: "If you restored it on purpose, accept it: {command}",
            .french: "Si vous l’avez restauré exprès, acceptez-le : {command}",
        ],
        "hint.space": [
            .english: "Make the place writable, or free some space",
            .french: "Rendez l’emplacement accessible en écriture, ou libérez de la place",
        ],
        "hint.notDurable": [
            .english: "Run the command again as soon as the place can be written",
            .french: "Relancez la commande dès que l’emplacement accepte l’écriture",
        ],
        "hint.newer": [
            .english: "Use the newer version of latchkey that wrote it",
            .french: "Utilisez la version plus récente de latchkey qui l’a écrit",
        ],
        "hint.factor": [
            .english: "Prove a further factor first: {command}",
            .french: "Prouvez d’abord un facteur de plus : {command}",
        ],
        "hint.otherDevice": [
            .english: "Open it where it was asked for, or type the code of the same mail there",
            .french: "Ouvrez-le là où il a été demandé, ou saisissez-y le code du même message",
        ],
        "hint.notAsked": [
            .english: "Check who sent the link; this program signed nobody in",
            .french: "Vérifiez qui a envoyé le lien ; ce programme n’a connecté personne",
        ],
        "hint.signUp": [
            .english: "Check the address, or make the account: {command}",
            .french: "Vérifiez l’adresse, ou créez le compte : {command}",
        ],
        "hint.browser": [
            .english: "Sign in in a browser instead: {command}",
            .french: "Connectez-vous plutôt dans un navigateur : {command}",
        ],
        "hint.key": [
            .english: "Check the key in the project's settings: {command}",
            .french: "Vérifiez la clé dans les réglages du projet : {command}",
        ],
        "hint.untrusted": [
            .english: "Do not repeat it; check the issuer's address, and who may have opened the link",
            .french: "Ne recommencez pas ; vérifiez l’adresse du service, et qui a pu ouvrir le lien",
        ],
        "hint.changed": [
            .english: "Restore the profile's issuer and client, or use another profile: {command}",
            .french: "Rétablissez le service et le client du profil, ou utilisez un autre profil : {command}",
        ],
        "hint.client": [
            .english: "Check the client id, and how the client's secret is obtained",
            .french: "Vérifiez l’identifiant du client, et d’où vient son secret",
        ],
        "hint.configuration": [
            .english: "Correct the command or the profile: {command}",
            .french: "Corrigez la commande ou le profil : {command}",
        ],
    ])
}

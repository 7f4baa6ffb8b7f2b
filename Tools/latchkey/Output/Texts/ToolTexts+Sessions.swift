import Latchkey

extension ToolTexts {
    /// Accounts, their states and places, as most commands show them.
    static let sessions: [String: [TextLanguage: String]] = [
        "label.profile": [.english: "profile", .french: "profil"],
        "label.issuer": [.english: "issuer", .french: "service"],
        "label.store": [.english: "store", .french: "emplacement"],
        "label.account": [.english: "account", .french: "compte"],
        "label.state": [.english: "state", .french: "état"],
        "label.access": [.english: "access", .french: "accès"],
        "label.refusal": [.english: "refused", .french: "refus"],
        "label.session": [.english: "refresh", .french: "renouvellement"],
        "session.ended": [.english: "ended at {date}", .french: "terminé le {date}"],
        "session.notRefreshable": [
            .english: "not possible: the session ends with its access token",
            .french: "impossible : la session se termine avec son jeton d’accès",
        ],
        "login.notRefreshable": [
            .english: "The service gave no refresh token: the session ends at {date}.",
            .french: "Le service n’a pas donné de jeton de renouvellement : la session se termine le {date}.",
        ],
        "login.notRefreshable.consent": [
            .english: "To get one, ask for consent: {command}",
            .french: "Pour en obtenir un, demandez le consentement : {command}",
        ],
        "login.notRefreshable.scope": [
            .english: "Nothing asked for one; to ask: {command}",
            .french: "Rien n’en demandait ; pour en demander un : {command}",
        ],
        "login.notRefreshable.other": [
            .english:
                "The service's settings of this client decide it; some services want a parameter (--param NAME=VALUE)",
            .french:
                "Les réglages de ce client auprès du service en décident ; certains veulent un paramètre (--param NOM=VALEUR)",
        ],
        "login.redirect": [
            .english:
                "The browser comes back to {address}: a production instance must have that on its list of redirect URLs.",
            .french:
                "Le navigateur revient à {address} : une instance de production doit l’avoir dans sa liste d’URL de redirection.",
        ],
        "label.scopes": [.english: "scopes", .french: "portée"],
        "whoami": [.english: "{person} at {issuer}", .french: "{person}, auprès de {issuer}"],
        "whoami.withID": [.english: "{person} ({id}) at {issuer}", .french: "{person} ({id}), auprès de {issuer}"],
        "label.problem": [.english: "problem", .french: "problème"],
        "label.pending": [.english: "pending", .french: "en attente"],
        "label.next": [.english: "next", .french: "ensuite"],
        "until": [.english: "until {date}", .french: "jusqu’au {date}"],
        "ago": [.english: "{time} ago", .french: "il y a {time}"],
        "in": [.english: "in {time}", .french: "dans {time}"],
        "pending": [
            .english: "{count:sign-out|sign-outs} the service has not been told yet",
            .french: "{count:déconnexion|déconnexions} que le service ignore encore",
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
        "state.clientRefused": [
            .english: "no token can be had: the service refuses this client",
            .french: "aucun jeton disponible : le service refuse ce client",
        ],
        "clientRefused.advice": [
            .english:
                "the service refused this client at the last refresh: check the client's id and its secret if it has one, then: {command}",
            .french:
                "le service a refusé ce client au dernier renouvellement : vérifiez l’identifiant du client et son secret s’il en a un, puis : {command}",
        ],
        "state.signInRequired": [.english: "must sign in again ({reason})", .french: "doit se reconnecter ({reason})"],
        "place.kind.file": [.english: "unencrypted files", .french: "des fichiers non chiffrés"],
        "place.kind.encrypted": [.english: "an encrypted file", .french: "un fichier chiffré"],
        "place.file": [.english: "unencrypted files at {path}", .french: "fichiers non chiffrés dans {path}"],
        "place.keyring": [.english: "the desktop's keyring", .french: "le trousseau du bureau"],
        "place.encrypted": [.english: "the encrypted file {path}{open}", .french: "le fichier chiffré {path}{open}"],
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
        "exec.tokenLarge": [
            .english:
                "latchkey: The token is too large for {variable}; the program finds it in the file that {file} names",
            .french:
                "latchkey: Le jeton est trop grand pour {variable} ; le programme le trouve dans le fichier que {file} nomme",
        ],
        "token.otherAudience": [
            .english:
                "the token is for {named}, and not for {audience}; if the service takes the audience in the browser's address: {command}",
            .french:
                "le jeton est pour {named}, et non pour {audience} ; si le service prend le destinataire dans l’adresse du navigateur : {command}",
        ],
        "login.otherName": [
            .english: "the service does not say whether this is \"{name}\"",
            .french: "le service ne dit pas s’il s’agit de « {name} »",
        ],
        "login.place": [.english: "The session is in {place}.", .french: "Emplacement de la session : {place}."],
        "login.setAside": [
            .english: "{path} is damaged; it is kept as {aside}",
            .french: "{path} est endommagé ; il est gardé sous {aside}",
        ],
        "login.encrypt": [.english: "To encrypt it: {command}", .french: "Pour la chiffrer : {command}"],
        "logout.who": [
            .english: "{account} of the profile {profile} has left",
            .french: "{account} du profil {profile} est parti",
        ],
        "logout.current": [
            .english: "{account} is the current account now", .french: "{account} est maintenant le compte courant",
        ],
        "login.newDefault": [
            .english: "{profile} is the default profile now; it was {former}: {command} takes it back",
            .french: "{profile} est maintenant le profil par défaut, à la place de {former} ; {command} le rétablit",
        ],
        "logout.revoked": [.english: "Signed out.", .french: "Déconnecté."],
        "logout.queued": [
            .english: "Signed out here. The service could not be told yet; the next login, refresh or logout"
                + " of this profile tries again.",
            .french: "Déconnecté ici. Le service n’a pas pu être prévenu ; le prochain login, refresh ou logout"
                + " de ce profil réessaiera.",
        ],
        "logout.queuedUntil": [
            .english: "Signed out here. The service could not be told yet; the next login, refresh or logout"
                + " of this profile tries again, until {date}.",
            .french: "Déconnecté ici. Le service n’a pas pu être prévenu ; le prochain login, refresh ou logout"
                + " de ce profil réessaiera, jusqu’au {date}.",
        ],
        "logout.local": [
            .english: "Signed out here. The service cannot be told; its tokens end by themselves.",
            .french: "Déconnecté ici. Le service ne peut pas être prévenu ; ses jetons expirent d’eux-mêmes.",
        ],
        "logout.refused": [
            .english:
                "Signed out here. The service does not let this client revoke its tokens; they end by themselves.",
            .french:
                "Déconnecté ici. Le service ne laisse pas ce client révoquer ses jetons ; ils expirent d’eux-mêmes.",
        ],
        "logout.others": [
            .english: "Ended the other sessions of {account} (profile {profile}); this one stays.",
            .french: "Les autres sessions de {account} (profil {profile}) sont terminées ; celle-ci reste.",
        ],
        "logout.nobody": [.english: "Nobody was signed in.", .french: "Personne n’était connecté."],
        "refreshed": [.english: "Refreshed.", .french: "Renouvelé."],
        "refreshed.until": [.english: "Refreshed; access {until}.", .french: "Renouvelé ; accès {until}."],
        "unlocked": [.english: "Unlocked for {time}.", .french: "Déverrouillé pour {time}."],
        "locked": [.english: "Locked.", .french: "Verrouillé."],
        "locked.already": [.english: "Nothing was unlocked.", .french: "Rien n’était déverrouillé."],
        "agent.without": [
            .english: "Runs without an agent: {reason}", .french: "Fonctionne sans agent : {reason}",
        ],
        "setAside.told": [
            .english: "{count:session|sessions} of a damaged copy ended at the service",
            .french:
                "{count:session d’une copie endommagée terminée|sessions de copies endommagées terminées} auprès du service",
        ],
        "setAside.untold": [
            .english:
                "The service could not be told of {count:session|sessions} in a damaged copy, which is removed now",
            .french:
                "Le service n’a pas pu être informé de {count:session|sessions} d’une copie endommagée, supprimée maintenant",
        ],
        "agent.question.token": [
            .english: "Let {program} (process {number}) have the access token of the profile {profile}?",
            .french: "Donner à {program} (processus {number}) le jeton d’accès du profil {profile} ?",
        ],
        "agent.question.vault": [
            .english: "Let {program} (process {number}) read and write your encrypted sessions?",
            .french: "Laisser {program} (processus {number}) lire et écrire vos sessions chiffrées ?",
        ],
        "agent.question.parent": [
            .english: "It was started by {program} (process {number}): {words}",
            .french: "Lancé par {program} (processus {number}) : {words}",
        ],
        "agent.none": [.english: "No agent is running.", .french: "Aucun agent n’est en marche."],
        "agent.one": [
            .english: "An agent keeps the key of an encrypted file for another {time}.",
            .french: "Un agent garde la clé d’un fichier chiffré pendant encore {time}.",
        ],
        "agent.running": [
            .english: "An agent keeps the keys of {count:encrypted file|encrypted files} for another {time}.",
            .french: "Un agent garde les clés de {count:fichier chiffré|fichiers chiffrés} pendant encore {time}.",
        ],
        "unlock.reason": [
            .english: "Open the sessions of the profile {profile}", .french: "Ouvrir les sessions du profil {profile}",
        ],
        "passphrase.reason": [
            .english: "The sessions of the profile {profile} will be encrypted",
            .french: "Les sessions du profil {profile} vont être chiffrées",
        ],
    ]
}

import Latchkey

extension ToolTexts {
    /// The findings of `doctor`.
    static let checkups: [String: [TextLanguage: String]] = [
        "doctor.remedy": [.english: "remedy: {remedy}", .french: "remède : {remedy}"],
        "doctor.look": [
            .english: "Look at it, and run the command again", .french: "Regardez-le, et relancez la commande",
        ],
        "doctor.keylog": [
            .english:
                "$SSLKEYLOGFILE makes TLS write the keys of every connection into a file; who reads it can read the tokens",
            .french:
                "$SSLKEYLOGFILE fait écrire à TLS les clés de chaque connexion dans un fichier ; qui le lit peut lire les jetons",
        ],
        "doctor.keylog.remedy": [
            .english: "Unset SSLKEYLOGFILE, and remove the file it names",
            .french: "Supprimez la variable SSLKEYLOGFILE, et le fichier qu’elle nomme",
        ],
        "doctor.accepted": [
            .english:
                "{path} is accepted although others may have access to it; they could read or replace the session",
            .french:
                "{path} est accepté bien que d’autres puissent y avoir accès ; ils pourraient lire ou remplacer la session",
        ],
        "doctor.accepted.remedy": [
            .english:
                "If there is a directory that only you can enter, name it by XDG_DATA_HOME and sign in there without it",
            .french:
                "S’il y a un dossier où vous seul pouvez entrer, nommez-le par XDG_DATA_HOME et connectez-vous là sans lui",
        ],
        "doctor.noDocument": [
            .english: "The issuer has no discovery document", .french: "Le service n’a pas de document de découverte",
        ],
        "doctor.tooMany": [
            .english: "The service wants fewer requests", .french: "Le service demande moins de requêtes",
        ],
        "doctor.status": [
            .english: "The service answers with status {status}", .french: "Le service répond avec le statut {status}",
        ],
        "doctor.tls": [.english: "TLS established that this is {issuer}", .french: "TLS a établi que c’est {issuer}"],
        "doctor.loopback": [
            .english: "{issuer} is on this machine, without TLS", .french: "{issuer} est sur cette machine, sans TLS",
        ],
        "doctor.pin": [.english: "{host} presents the key {pin}", .french: "{host} présente la clé {pin}"],
        "doctor.noPin": [
            .english: "The key of {host} could not be seen: it cannot be reached",
            .french: "La clé de {host} n’a pas pu être vue : l’hôte est injoignable",
        ],
        "doctor.documentLarge": [
            .english: "The discovery document is too large", .french: "Le document de découverte est trop grand",
        ],
        "doctor.address": [
            .english: "The issuer's address cannot be used", .french: "L’adresse du service est inutilisable",
        ],
        "doctor.way.browser": [.english: "a browser", .french: "un navigateur"],
        "doctor.way.device": [.english: "a device code", .french: "un code d’appareil"],
        "doctor.or": [.english: " or ", .french: " ou "],
        "doctor.noWay": [
            .english: "The service offers no sign-in with {ways}",
            .french: "Le service n’offre pas de connexion par {ways}",
        ],
        "doctor.noWay.remedy": [
            .english: "Sign in another way: {command}", .french: "Connectez-vous autrement : {command}",
        ],
        "doctor.noRevocation": [
            .english: "The service can be used, and offers no revocation: what it gave ends by itself",
            .french: "Le service est utilisable, mais n’offre pas de révocation : ce qu’il a donné expire de soi-même",
        ],
        "doctor.noRevocation.remedy": [
            .english: "Nothing needs doing; a sign-out here is good, and the service is not told",
            .french: "Il n’y a rien à faire ; une déconnexion ici suffit, et le service n’est pas prévenu",
        ],
        "doctor.offers": [
            .english: "The service offers sign-in, refresh and revocation",
            .french: "Le service offre connexion, renouvellement et révocation",
        ],
        "doctor.noTime": [
            .english: "The service's answers have no Date; its next ID token tells its time",
            .french: "Les réponses du service n’ont pas de Date ; son prochain jeton d’identité dira l’heure",
        ],
        "doctor.tokenTime": [
            .english: "This machine and the service agree on the time, by its ID tokens; its answers have no Date",
            .french: "Cette machine et le service sont à la même heure, d’après ses jetons d’identité ; ses réponses"
                + " n’ont pas de Date",
        ],
        "doctor.tokenBehind": [
            .english: "This machine's clock is {time} behind the service's, by its ID tokens; its answers have no Date",
            .french:
                "L’horloge de cette machine retarde de {time} sur celle du service, d’après ses jetons d’identité ;"
                + " ses réponses n’ont pas de Date",
        ],
        "doctor.tokenAhead": [
            .english:
                "This machine's clock is {time} ahead of the service's, by its ID tokens; its answers have no Date",
            .french: "L’horloge de cette machine avance de {time} sur celle du service, d’après ses jetons d’identité ;"
                + " ses réponses n’ont pas de Date",
        ],
        "doctor.time": [
            .english: "This machine and the service agree on the time, by the Date of its answers",
            .french: "Cette machine et le service sont à la même heure, d’après la Date de ses réponses",
        ],
        "doctor.behind": [
            .english: "This machine's clock is {time} behind the service's",
            .french: "L’horloge de cette machine retarde de {time} sur celle du service",
        ],
        "doctor.ahead": [
            .english: "This machine's clock is {time} ahead of the service's",
            .french: "L’horloge de cette machine avance de {time} sur celle du service",
        ],
        "doctor.clock.remedy": [
            .english: "Nothing is lost by it; set the clock, or let the network set it",
            .french: "Rien n’en est perdu ; réglez l’horloge, ou laissez le réseau la régler",
        ],
        "doctor.session": [.english: "{account}: {state}", .french: "{account} : {state}"],
        "doctor.network": [.english: "Check the network", .french: "Vérifiez le réseau"],
        "doctor.nobody": [.english: "Nobody is signed in", .french: "Personne n’est connecté"],
        "doctor.told": [
            .english: "The service knows of every sign-out", .french: "Le service connaît chaque déconnexion",
        ],
        "doctor.untold": [
            .english: "The service has not been told of {count:sign-out|sign-outs}",
            .french: "Le service ignore {count:déconnexion|déconnexions}",
        ],
        "doctor.untold.remedy": [
            .english: "Run with the service in reach: {command}",
            .french: "Lancez, quand le service est joignable : {command}",
        ],
        "doctor.notThere": [
            .english: "{path} is not there yet; the first sign-in makes it",
            .french: "{path} n’existe pas encore ; la première connexion le crée",
        ],
        "doctor.own": [.english: "{path} is this user's alone", .french: "{path} est à cet utilisateur seul"],
        "doctor.files": [
            .english: "{count:file is|files are} this user's alone",
            .french: "{count:fichier est|fichiers sont} à cet utilisateur seul",
        ],
        "doctor.writing": [.english: "Files can be written there", .french: "Des fichiers peuvent y être écrits"],
        "doctor.store.onReturn": [
            .english: "{place}: what a command has stored outlasts a power failure",
            .french: "{place} : ce qu’une commande a enregistré survit à une coupure de courant",
        ],
        "doctor.store.within": [
            .english: "{place}: what was stored in the last {time} can be lost in a power failure",
            .french:
                "{place} : ce qui a été enregistré dans les dernières {time} peut être perdu lors d’une coupure de courant",
        ],
        "doctor.store.none": [
            .english: "{place}: what is stored ends with the program",
            .french: "{place} : ce qui est enregistré disparaît avec le programme",
        ],
        "doctor.store.unknown": [
            .english: "{place}: it does not say whether what is stored outlasts a power failure",
            .french: "{place} : il n’est pas dit si ce qui est enregistré survit à une coupure de courant",
        ],
        "doctor.store.somewhere": [.english: "The store", .french: "Le magasin"],
        "doctor.store.remedy": [
            .english: "Have whoever runs the store's server look at it",
            .french: "Faites vérifier le serveur par qui le gère",
        ],
        "doctor.locks.remedy": [
            .english: "Keep the sessions on a local file system: set XDG_DATA_HOME",
            .french: "Gardez les sessions sur un système de fichiers local : définissez XDG_DATA_HOME",
        ],
        "doctor.noLocks": [.english: "Nobody holds a lock", .french: "Personne ne tient de verrou"],
        "doctor.lane": [
            .english: "The lane {path} is held by {holder}{since}",
            .french: "La file {path} est tenue par {holder}{since}",
        ],
        "doctor.lock": [
            .english: "The lock {path} is held by {holder}{since}",
            .french: "Le verrou {path} est tenu par {holder}{since}",
        ],
        "doctor.holder": [.english: "another process", .french: "un autre processus"],
        "doctor.since": [.english: ", since {date}", .french: ", depuis {date}"],
        "doctor.held.remedy": [
            .english: "Let that process finish, wake it (fg, kill -CONT) or end it; leave the lock file where it is",
            .french:
                "Laissez finir ce processus, réveillez-le (fg, kill -CONT) ou terminez-le ; laissez le fichier de verrou où il est",
        ],
        "doctor.leftovers": [
            .english: "Writers that died left {count:file|files}, such as {path}",
            .french: "Des écritures interrompues ont laissé {count:fichier|fichiers}, dont {path}",
        ],
        "doctor.leftovers.remedy": [
            .english: "Nothing needs doing: the next change removes them",
            .french: "Il n’y a rien à faire : le prochain changement les enlève",
        ],
        "doctor.setAside": [
            .english: "{count:file was|files were} set aside, with tokens that may be valid, such as {path}",
            .french:
                "{count:fichier a été mis de côté|fichiers ont été mis de côté}, avec des jetons peut-être valables, dont {path}",
        ],
        "doctor.setAside.remedy": [
            .english: "Remove them when you need them no more; signing out of the last account does",
            .french: "Supprimez-les si vous n’en avez plus besoin ; déconnecter le dernier compte le fait",
        ],
        "doctor.noLeftovers": [.english: "There are none", .french: "Il n’y en a pas"],
        "doctor.records": [.english: "All {count} can be read", .french: "Les {count} sont lisibles"],
        "doctor.instance.none": [
            .english: "The address leads to no Clerk instance", .french: "L’adresse ne mène à aucune instance Clerk",
        ],
        "doctor.instance.native": [
            .english: "The Native API is off", .french: "L’API native est désactivée",
        ],
        "doctor.instance.native.remedy": [
            .english: "Switch it on in the dashboard, under Native applications",
            .french: "Activez-la dans le tableau de bord, sous Native applications",
        ],
        "doctor.instance.closed": [
            .english: "The instance is closed for maintenance", .french: "L’instance est fermée pour maintenance",
        ],
        "doctor.instance.ok": [
            .english: "The instance answers native programs", .french: "L’instance répond aux programmes natifs",
        ],
        "doctor.project.none": [
            .english: "The project URL leads to no Supabase Auth service",
            .french: "L’adresse du projet ne mène à aucun service Supabase Auth",
        ],
        "doctor.project.other": [
            .english: "The project URL leads to something that is no Supabase Auth service",
            .french: "L’adresse du projet mène à autre chose qu’un service Supabase Auth",
        ],
        "doctor.project.paused": [.english: "The project is paused", .french: "Le projet est en pause"],
        "doctor.project.way": [
            .english: "The project does not offer the way in which this profile signs in",
            .french: "Le projet n’offre pas la façon dont ce profil se connecte",
        ],
        "doctor.project.offers": [.english: "The project offers {ways}", .french: "Le projet offre {ways}"],
        "doctor.project.closed": [
            .english: "The project offers {ways}; it takes no new accounts",
            .french: "Le projet offre {ways} ; il n’accepte pas de nouveaux comptes",
        ],
    ]
}

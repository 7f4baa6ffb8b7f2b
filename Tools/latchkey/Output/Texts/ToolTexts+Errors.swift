import Latchkey

extension ToolTexts {
    /// Errors with profiles, secrets and places.
    static let errors: [String: [TextLanguage: String]] = [
        "error.noConfiguration": [
            .english: "Neither XDG_CONFIG_HOME nor HOME names a directory for the profiles",
            .french: "Ni XDG_CONFIG_HOME ni HOME ne nomme un dossier pour les profils",
        ],
        "error.library": [
            .english:
                "The library {file} is not installed: it is in the Debian package {package}",
            .french:
                "La bibliothèque {file} n’est pas installée : elle est dans le paquet Debian {package}",
        ],
        "error.libraryRefused": [
            .english: "The library {file} of the Debian package {package} cannot be loaded: {refusal}",
            .french: "La bibliothèque {file} du paquet Debian {package} ne se charge pas : {refusal}",
        ],
        "error.unstored": [
            .english: "The newest state of the session is not stored, and ends with this command: {reason}",
            .french: "Le dernier état de la session n’est pas enregistré et finit avec cette commande : {reason}",
        ],
        "error.profileNewer": [
            .english: "The profile {profile} was written by a newer version",
            .french: "Le profil {profile} a été écrit par une version plus récente",
        ],
        "error.profileUnreadable": [
            .english: "The profile at {path} cannot be read: {problem}",
            .french: "Le profil {path} est illisible : {problem}",
        ],
        "error.changeable": [
            .english: "{what} at {path} may be changed by somebody else",
            .french: "Quelqu’un d’autre peut modifier {path} ({what})",
        ],
        "error.profilesUnreachable": [
            .english: "The profiles in {path} cannot be reached: {problem}",
            .french: "Les profils dans {path} sont inaccessibles : {problem}",
        ],
        "what.profile": [.english: "The profile", .french: "le profil"],
        "what.default": [.english: "The name of the default profile", .french: "le nom du profil par défaut"],
        "what.demand": [.english: "The demand on stores", .french: "l’exigence sur les emplacements"],
        "problem.denied": [.english: "not allowed", .french: "accès refusé"],
        "problem.readOnly": [
            .english: "the file system cannot be written", .french: "le système de fichiers est en lecture seule",
        ],
        "problem.full": [.english: "no space is left", .french: "il n’y a plus de place"],
        "problem.missing": [.english: "a directory is missing", .french: "il manque un dossier"],
        "problem.kind": [.english: "a symbolic link, or no file", .french: "un lien symbolique, ou pas un fichier"],
        "problem.large": [.english: "a file is too large", .french: "un fichier est trop grand"],
        "problem.disk": [.english: "the disk reports a fault", .french: "le disque signale une panne"],
        "problem.openFiles": [.english: "too many files are open", .french: "trop de fichiers sont ouverts"],
        "problem.format": [
            .english: "this machine cannot run a file of this kind",
            .french: "cette machine ne sait pas lancer un fichier de cette sorte",
        ],
        "problem.environment": [
            .english: "its arguments and environment are too large",
            .french: "ses arguments et son environnement sont trop grands",
        ],
        "problem.written": [
            .english: "it is being written at the moment", .french: "il est en cours d’écriture",
        ],
        "problem.processes": [.english: "too many processes run", .french: "trop de processus sont en cours"],
        "problem.memory": [.english: "no memory is left", .french: "il n’y a plus de mémoire"],
        "problem.system": [.english: "{words}", .french: "{words}"],
        "problem.other": [.english: "another reason", .french: "une autre raison"],
        "error.profileName": [
            .english: "LATCHKEY_PROFILE is not the name of a profile",
            .french: "LATCHKEY_PROFILE n’est pas un nom de profil",
        ],
        "error.noProfile": [
            .english: "There is no profile \"{profile}\"", .french: "Il n’y a pas de profil « {profile} »",
        ],
        "error.nobodyYet": [.english: "Nobody has signed in yet", .french: "Personne ne s’est encore connecté"],
        "error.nobodyLogged": [
            .english:
                "The log has no line about {account}; a person who has signed out is named by the id of the account",
            .french:
                "Le journal n’a aucune ligne sur {account} ; une personne déconnectée se nomme par l’identifiant du compte",
        ],
        "error.nobodyNamed": [
            .english: "Nobody of this name is signed in", .french: "Personne de ce nom n’est connecté",
        ],
        "error.unknownService": [
            .english: "The profile {profile} is for a kind of service that this version does not know: {kind}",
            .french: "Le profil {profile} est pour une sorte de service que cette version ne connaît pas : {kind}",
        ],
        "error.signedInWith": [
            .english: "The profile {profile} is signed in with {target}",
            .french: "Le profil {profile} est connecté à {target}",
        ],
        "error.stillSignedIn": [
            .english: "Somebody is signed in with the profile {profile}, or the service was not told of a sign-out yet",
            .french: "Quelqu’un est connecté avec le profil {profile}, ou le service ignore encore une déconnexion",
        ],
        "target.oauth": [.english: "{issuer} (client {client})", .french: "{issuer} (client {client})"],
        "target.supabase": [.english: "{url} (Supabase, key {key})", .french: "{url} (Supabase, clé {key})"],
        "target.clerk": [.english: "{url} (Clerk)", .french: "{url} (Clerk)"],
        "target.unknown": [
            .english: "{issuer} (a service of a kind that is not known here: {kind})",
            .french: "{issuer} (un service d’une sorte inconnue ici : {kind})",
        ],
        "error.secretVariable": [
            .english: "The profile {profile} takes the client's secret from {variable}, which is not set",
            .french: "Le profil {profile} prend le secret du client dans {variable}, qui n’est pas définie",
        ],
        "error.secretReceiver": [
            .english:
                "The profile {profile} may send {variable} to another service or client than it names now, so it is not sent",
            .french:
                "Le profil {profile} peut envoyer {variable} à un autre service ou client qu’il ne nomme à présent ; rien n’est envoyé",
        ],
        "error.secretInsecure": [
            .english: "Others may read or change the client's secret at {path}",
            .french: "D’autres peuvent lire ou modifier le secret du client : {path}",
        ],
        "error.secretKind": [
            .english: "The client's secret is not in a plain file: {path}",
            .french: "Le secret du client n’est pas dans un fichier ordinaire : {path}",
        ],
        "error.secretUnreadable": [
            .english: "The client's secret at {path} cannot be read",
            .french: "Le secret du client est illisible : {path}",
        ],
        "error.secretMissing": [
            .english: "The client's secret is missing: there is no file {path}",
            .french: "Le secret du client manque : il n’y a pas de fichier {path}",
        ],
        "error.secretEncoding": [
            .english: "The client's secret at {path} is no text in UTF-8",
            .french: "Le secret du client n’est pas un texte en UTF-8 : {path}",
        ],
        "error.secretEmpty": [
            .english: "The client's secret at {path} is empty", .french: "Le secret du client est vide : {path}",
        ],
        "error.placeOther": [
            .english:
                "The profile {profile} already keeps a session in {place}, and login moves none; move it by \"{command}\"",
            .french:
                "Le profil {profile} garde déjà une session dans {place}, et login n’en déplace pas ; déplacez-la par « {command} »",
        ],
        "error.placeWeak": [
            .english:
                "The profile {profile} keeps its session in {place}, and {variable} or the configuration demands {demanded}; move it by \"{command}\"",
            .french:
                "Le profil {profile} garde sa session dans {place}, et {variable} ou la configuration exige {demanded} ; déplacez-la par « {command} »",
        ],
        "error.placeDemanded": [
            .english: "{origin} names no place: it is none of {places}",
            .french: "{origin} ne nomme pas d’emplacement : ce n’est pas un mot parmi {places}",
        ],
        "origin.variable": [.english: "{variable}", .french: "{variable}"],
        "origin.file": [
            .english: "The file \"store\" beside the profiles", .french: "Le fichier « store » à côté des profils",
        ],
        "error.placeUnknown": [
            .english: "The profile {profile} keeps its session in a place that this version does not know: {place}",
            .french:
                "Le profil {profile} garde sa session dans un emplacement que cette version ne connaît pas : {place}",
        ],
        "error.trial": [
            .english: "The place for the session does not give back what was written there",
            .french: "L’emplacement de la session ne rend pas ce qui y a été écrit",
        ],
        "error.locked": [
            .english: "The sessions of the profile {profile} are locked",
            .french: "Les sessions du profil {profile} sont verrouillées",
        ],
        "error.noAskingProgram": [
            .english:
                "The agent has no program to ask you with; put the absolute path of one such as ssh-askpass into LATCHKEY_ASKPASS, end an agent that runs by \"latchkey lock\", and try again",
            .french:
                "L’agent n’a pas de programme pour vous interroger ; mettez le chemin absolu d’un programme comme ssh-askpass dans LATCHKEY_ASKPASS, arrêtez l’agent par « latchkey lock » et réessayez",
        ],
        "error.noProcesses": [
            .english: "This system does not tell which program asks, so the agent cannot ask you about it",
            .french: "Ce système ne dit pas quel programme demande ; l’agent ne peut donc pas vous interroger",
        ],
        "error.agentStart": [.english: "The agent could not be started", .french: "L’agent n’a pas pu être lancé"],
        "error.notEncrypted": [
            .english:
                "The profile {profile} keeps its session in {place}, which is not locked; encrypt it by \"{command}\"",
            .french:
                "Le profil {profile} garde sa session dans {place}, qui ne se verrouille pas ; chiffrez-la par « {command} »",
        ],
        "error.passphraseDeclined": [
            .english: "No passphrase was chosen; nothing was made",
            .french: "Aucune phrase de passe n’a été choisie ; rien n’a été créé",
        ],
        "error.vaultThere": [
            .english: "The profile {profile} has an encrypted file already",
            .french: "Le profil {profile} a déjà un fichier chiffré",
        ],
        "error.sessionThere": [
            .english: "The profile {profile} has a session; take it along by \"{command}\"",
            .french: "Le profil {profile} a une session ; emportez-la par « {command} »",
        ],
        "error.thereAlready": [
            .english: "The profile {profile} keeps its session there already",
            .french: "Le profil {profile} garde déjà sa session là",
        ],
        "error.unreadableStay": [
            .english:
                "{moved:record was|records were} moved; {unreadable:record that cannot be read stays|records that cannot be read stay} in the old place, which the profile keeps until nothing is left there",
            .french:
                "{moved:enregistrement a été déplacé|enregistrements ont été déplacés} ; {unreadable:enregistrement illisible reste|enregistrements illisibles restent} à l’ancien emplacement, que le profil garde tant qu’il n’est pas vide",
        ],
        "error.noHolder": [.english: "There is no such holder of keys", .french: "Il n’y a pas de tel porte-clés"],
        "error.noSlot": [.english: "There is no slot {slot}", .french: "Il n’y a pas d’emplacement de clé {slot}"],
        "error.noPassphraseSlot": [
            .english: "No passphrase opens this file; add one by add-slot",
            .french: "Aucune phrase de passe n’ouvre ce fichier ; ajoutez-en une par add-slot",
        ],
    ]
}

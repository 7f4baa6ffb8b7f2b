import Latchkey

extension ToolTexts {
    /// The results of `store`.
    static let stores: [String: [TextLanguage: String]] = [
        "store.made": [
            .english: "Made {path}. The next login of the profile {profile} uses it.",
            .french: "{path} est créé. La prochaine connexion du profil {profile} s’en sert.",
        ],
        "store.verified": [
            .english: "{count:record|records} read: nothing is damaged.",
            .french: "{count:enregistrement lu|enregistrements lus} : rien n’est endommagé.",
        ],
        "store.moved": [
            .english: "Moved {count:record|records}. The session is in {place}.",
            .french: "{count:enregistrement déplacé|enregistrements déplacés}. Emplacement de la session : {place}.",
        ],
        "store.wiped": [
            .english: "Everything of the profile {profile} is gone.",
            .french: "Tout ce qui était ici du profil {profile} a disparu.",
        ],
        "store.sound": [.english: "Nothing was to be mended.", .french: "Il n’y avait rien à réparer."],
        "store.mended": [.english: "Mended {path}", .french: "Réparé : {path}"],
        "store.setAside": [.english: "Kept as {path}", .french: "Gardé sous {path}"],
        "store.recoveryCode": [
            .english: "Recovery code; print it, it is not shown again:",
            .french: "Code de récupération ; imprimez-le, il ne sera plus montré :",
        ],
        "store.size": [.english: "{count:byte|bytes}", .french: "{count:octet|octets}"],
        "store.cost": [
            .english: "a try takes {seconds} seconds on this machine",
            .french: "un essai prend {seconds} secondes sur cette machine",
        ],
        "store.leftovers": [
            .english: "{count:file|files} of writers that died",
            .french: "{count:fichier|fichiers} d’écritures interrompues",
        ],
        "store.slot": [.english: "slot {index}", .french: "clé {index}"],
        "store.slot.passphrase": [
            .english: "passphrase (scrypt, 2^{cost})", .french: "phrase de passe (scrypt, 2^{cost})",
        ],
        "store.slot.stretched": [
            .english: "passphrase (PBKDF2, {rounds} rounds)", .french: "phrase de passe (PBKDF2, {rounds} tours)",
        ],
        "store.slot.key": [.english: "key of {source}: {name}", .french: "clé de {source} : {name}"],
        "store.slot.recovery": [.english: "recovery code", .french: "code de récupération"],
        "store.slot.newer": [.english: "of a newer version", .french: "d’une version plus récente"],
        "store.slot.newerType": [
            .english: "of a newer version ({type})", .french: "d’une version plus récente ({type})",
        ],
        "store.added": [.english: "Added slot {index}.", .french: "Emplacement de clé {index} ajouté."],
        "store.removed": [
            .english: "Removed slot {index}. Copies of the file from before are still opened by it.",
            .french: "Emplacement de clé {index} retiré. Il ouvre encore les copies du fichier d’avant.",
        ],
        "store.passphraseChanged": [
            .english: "The passphrase is changed.", .french: "La phrase de passe est changée.",
        ],
        "store.rekeyed": [
            .english: "The file has a new key, and the passphrase is changed.",
            .french: "Le fichier a une nouvelle clé, et la phrase de passe est changée.",
        ],
        "store.dropped": [
            .english: "What opened it besides is gone: slot {slots}. Add it anew by add-slot.",
            .french: "Ce qui l’ouvrait aussi a disparu : clé {slots}. Ajoutez-le de nouveau par add-slot.",
        ],
        "label.size": [.english: "size", .french: "taille"],
        "label.suite": [.english: "suite", .french: "algorithmes"],
        "label.generation": [.english: "generation", .french: "génération"],
        "label.passphrase": [.english: "passphrase", .french: "phrase de passe"],
        "label.leftovers": [.english: "leftovers", .french: "restes"],
        "label.setAside": [.english: "set aside", .french: "mis de côté"],
    ]
}

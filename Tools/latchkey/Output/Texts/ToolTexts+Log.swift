import Latchkey

extension ToolTexts {
    /// The security log.
    static let log: [String: [TextLanguage: String]] = [
        "log.empty": [
            .english: "The security log of the profile {profile} is empty",
            .french: "Le journal de sécurité du profil {profile} est vide",
        ],
        "log.whole": [
            .english: "{lines} lines, none changed, removed or put in",
            .french: "{lines} lignes, aucune modifiée, retirée ou ajoutée",
        ],
        "log.start": [.english: "the log begins here", .french: "le journal commence ici"],
        "log.dropped": [
            .english: "{count:event is|events are} missing: the disk was too slow",
            .french: "il manque {count:événement|événements} : le disque était trop lent",
        ],
        "log.erased": [
            .english: "{count:line was|lines were} erased",
            .french: "{count:ligne a été effacée|lignes ont été effacées}",
        ],
        "log.broken": [
            .english: "the log was damaged here, {count:line was|lines were} missing",
            .french: "le journal était endommagé ici, il manquait {count:ligne|lignes}",
        ],
        "log.altered": [
            .english: "Line {line} was changed or put in", .french: "La ligne {line} a été modifiée ou ajoutée",
        ],
        "log.missing": [
            .english: "After number {number}, {count:line is|lines are} missing",
            .french: "Après le numéro {number}, il manque {count:ligne|lignes}",
        ],
        "log.disordered": [
            .english: "Line {line} is not where it was written", .french: "La ligne {line} n’est pas à sa place",
        ],
        "log.noStart": [.english: "The beginning is missing", .french: "Le début manque"],
        "log.cutOff": [
            .english: "At the end, {count:line is|lines are} missing",
            .french: "À la fin, il manque {count:ligne|lignes}",
        ],
        "log.noHead": [
            .english: "Where the log ended is not known any more", .french: "On ne sait plus où le journal finissait",
        ],
        "log.reported": [
            .english: "A process met damage and went on; {count:line was|lines were} missing",
            .french: "Un processus a trouvé des dégâts et continué ; il manquait {count:ligne|lignes}",
        ],
        "log.earlier": [
            .english: "In lines that are gone by now, {count:thing was|things were} wrong",
            .french: "Dans des lignes disparues depuis, {count:chose n’allait pas|choses n’allaient pas}",
        ],
        "log.erasedLines": [.english: "Erased {count:line|lines}.", .french: "{count:ligne effacée|lignes effacées}."],
        "log.erasedAll": [
            .english: "Erased the security log of the profile {profile}.",
            .french: "Journal de sécurité du profil {profile} effacé.",
        ],
        "log.unwritten": [
            .english: "The security log was not written: {reason}",
            .french: "Le journal de sécurité n’a pas été écrit : {reason}",
        ],
    ]
}

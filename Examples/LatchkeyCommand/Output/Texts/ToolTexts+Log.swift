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
            .english: "{count} events are missing: the disk was too slow",
            .french: "il manque {count} événements : le disque était trop lent",
        ],
        "log.erased": [.english: "{count} lines were erased", .french: "{count} lignes ont été effacées"],
        "log.broken": [
            .english: "the log was damaged here, {count} lines were missing",
            .french: "le journal était endommagé ici, il manquait {count} lignes",
        ],
        "log.altered": [
            .english: "Line {line} was changed or put in", .french: "La ligne {line} a été modifiée ou ajoutée",
        ],
        "log.missing": [
            .english: "After number {number}, {count} lines are missing",
            .french: "Après le numéro {number}, il manque {count} lignes",
        ],
        "log.disordered": [
            .english: "Line {line} is not where it was written", .french: "La ligne {line} n’est pas à sa place",
        ],
        "log.noStart": [.english: "The beginning is missing", .french: "Le début manque"],
        "log.cutOff": [
            .english: "At the end, {count} lines are missing", .french: "À la fin, il manque {count} lignes",
        ],
        "log.noHead": [
            .english: "Where the log ended is not known any more", .french: "On ne sait plus où le journal finissait",
        ],
        "log.reported": [
            .english: "A process met damage and went on; {count} lines were missing",
            .french: "Un processus a trouvé des dégâts et continué ; il manquait {count} lignes",
        ],
        "log.earlier": [
            .english: "In lines that are gone by now, {count} things were wrong",
            .french: "Dans des lignes disparues depuis, {count} choses n’allaient pas",
        ],
        "log.erasedLines": [.english: "Erased {count} lines.", .french: "{count} lignes effacées."],
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

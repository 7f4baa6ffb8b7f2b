import Latchkey

extension ToolTexts {
    /// Events, as `events` shows them.
    static let events: [String: [TextLanguage: String]] = [
        "event.signedIn": [.english: "{account} signed in", .french: "{account} s’est connecté"],
        "event.refreshed": [.english: "{account} has a new token", .french: "{account} a un nouveau jeton"],
        "event.refreshedFor": [
            .english: "{account} has a new token for {audience}",
            .french: "{account} a un nouveau jeton pour {audience}",
        ],
        "event.state": [.english: "{account} is {state}", .french: "{account} : {state}"],
        "event.expiring": [
            .english: "The token of {account} ends in {time}", .french: "Le jeton de {account} expire dans {time}",
        ],
        "event.expiring.idle": [
            .english: "The session of {account} ends in {time} unless it is refreshed",
            .french: "La session de {account} se termine dans {time}, sauf si elle est prolongée",
        ],
        "event.expiring.absolute": [
            .english: "The session of {account} ends in {time}; then a new sign-in is needed",
            .french: "La session de {account} se termine dans {time} ; il faudra alors se reconnecter",
        ],
        "event.authenticationRequired": [
            .english: "{account} must sign in again ({reason})", .french: "{account} doit se reconnecter ({reason})",
        ],
        "event.stepUpRequired": [
            .english: "{account} must prove more to a resource",
            .french: "{account} doit en prouver davantage à une ressource",
        ],
        "event.signedOut.app": [.english: "{account} was signed out here", .french: "{account} a été déconnecté ici"],
        "event.signedOut.elsewhere": [
            .english: "{account} was signed out by another process",
            .french: "{account} a été déconnecté par un autre processus",
        ],
        "event.signedOut.service": [
            .english: "{account} was signed out by the service", .french: "{account} a été déconnecté par le service",
        ],
        "event.current": [.english: "{account} is the current account", .french: "{account} est le compte courant"],
        "event.noCurrent": [.english: "No account is current", .french: "Aucun compte n’est courant"],
        "event.locked": [.english: "The sessions were locked", .french: "Les sessions ont été verrouillées"],
        "event.unlocked": [.english: "The sessions were unlocked", .french: "Les sessions ont été déverrouillées"],
        "event.shieldUp": [.english: "What is shown shall be covered", .french: "Ce qui est affiché est à masquer"],
        "event.shieldDown": [
            .english: "What is shown need not be covered", .french: "Ce qui est affiché peut être montré",
        ],
        "event.unlockOffered": [.english: "An unlock can be set up", .french: "Un déverrouillage peut être configuré"],
        "event.availability": [
            .english: "Unlocking has changed: {availability}", .french: "Le déverrouillage a changé : {availability}",
        ],
        "event.integrity": [
            .english: "Another program may interfere: {findings}",
            .french: "Un autre programme interfère peut-être : {findings}",
        ],
        "event.gap": [.english: "Some events were missed", .french: "Des événements ont été manqués"],
    ]
}

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
        "event.required.signedOut": [
            .english: "{account} is signed out and must sign in again",
            .french: "{account} est déconnecté et doit se reconnecter",
        ],
        "event.required.refused": [
            .english: "{account} must sign in again: the service has ended the session",
            .french: "{account} doit se reconnecter : le service a mis fin à la session",
        ],
        "event.required.refusedWithoutReason": [
            .english: "{account} must sign in again: the service no longer takes the session",
            .french: "{account} doit se reconnecter : le service n’accepte plus la session",
        ],
        "event.required.interrupted": [
            .english: "{account} must sign in again: an interruption cost the session",
            .french: "{account} doit se reconnecter : une interruption a coûté la session",
        ],
        "event.required.expired": [
            .english: "{account} must sign in again: the session has ended",
            .french: "{account} doit se reconnecter : la session est terminée",
        ],
        "event.required.banned": [
            .english: "{account} is blocked by the service", .french: "{account} est bloqué par le service",
        ],
        "event.required.factorRequired": [
            .english: "{account} must sign in again: the service wants something more first",
            .french: "{account} doit se reconnecter : le service demande d’abord quelque chose de plus",
        ],
        "event.required.notAccepted": [
            .english: "A resource refuses the newest token of {account}",
            .french: "Une ressource refuse le dernier jeton de {account}",
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
        "event.availability.available": [
            .english: "Unlocking is possible", .french: "Le déverrouillage est possible",
        ],
        "event.availability.notEnrolled": [
            .english: "Unlocking is not set up on this device",
            .french: "Le déverrouillage n’est pas configuré sur cet appareil",
        ],
        "event.availability.lockedOut": [
            .english: "Unlocking is barred after too many wrong tries",
            .french: "Le déverrouillage est bloqué après trop d’essais erronés",
        ],
        "event.availability.invalidated": [
            .english: "What unlocks has changed and is no longer valid",
            .french: "Ce qui déverrouille a changé et n’est plus valable",
        ],
        "event.availability.missing": [
            .english: "This device has no way to unlock", .french: "Cet appareil n’a aucun moyen de déverrouiller",
        ],
        "event.integrity": [
            .english: "Another program may interfere: {findings}",
            .french: "Un autre programme interfère peut-être : {findings}",
        ],
        "event.gap": [.english: "Some events were missed", .french: "Des événements ont été manqués"],
    ]
}

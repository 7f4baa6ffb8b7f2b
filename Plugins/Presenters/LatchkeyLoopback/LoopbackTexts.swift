import Latchkey

/// The texts of the presenter, on its pages and before it opens a browser.
enum LoopbackTexts {
    static let table = TextTable([
        "open": [
            .english: "Open this address in a browser:", .french: "Ouvrez cette adresse dans un navigateur :",
        ],
        "opening": [
            .english: "Opening {host} in your browser. If nothing opens, go to:",
            .french: "Ouverture de {host} dans votre navigateur. Si rien ne s’ouvre, allez à :",
        ],
        "waiting": [
            .english: "Waiting for the browser (Ctrl-C to stop).",
            .french: "En attente du navigateur (Ctrl-C pour arrêter).",
        ],
        "paste.noAddress": [
            .english: "That is not a web address; it must begin with {redirect}?",
            .french: "Ce n’est pas une adresse web ; elle doit commencer par {redirect}?",
        ],
        "paste.beginning": [
            .english: "That is where the sign-in began; sign in there, then paste the address that follows,"
                + " which begins with {redirect}?",
            .french: "C’est là que la connexion a commencé ; connectez-vous, puis collez l’adresse qui suit,"
                + " qui commence par {redirect}?",
        ],
        "paste.elsewhere": [
            .english: "That is another page; the address must begin with {redirect}?",
            .french: "C’est une autre page ; l’adresse doit commencer par {redirect}?",
        ],
        "paste.incomplete": [
            .english: "That is only the beginning of the address; copy all of it",
            .french: "Ce n’est que le début de l’adresse ; copiez-la en entier",
        ],
        "paste.tooLong": [
            .english: "That is too long for the address; copy nothing else with it",
            .french: "C’est trop long pour l’adresse ; ne copiez rien d’autre avec elle",
        ],
        "arrived.title": [.english: "Back in the app", .french: "De retour dans l’application"],
        "arrived": [
            .english: "Go on there. This page can be closed.",
            .french: "Continuez là-bas. Cette page peut être fermée.",
        ],
        "failed.title": [.english: "The sign-in did not succeed", .french: "La connexion n’a pas abouti"],
        "failed": [
            .english: "The app says why. This page can be closed.",
            .french: "L’application indique pourquoi. Cette page peut être fermée.",
        ],
        "doubtful.title": [.english: "The sign-in did not succeed", .french: "La connexion n’a pas abouti"],
        "doubtful": [
            .english: "Sign in again from the app, or cancel there. This page can be closed.",
            .french: "Recommencez depuis l’application, ou annulez-y. Cette page peut être fermée.",
        ],
        "over.title": [.english: "Already done", .french: "Déjà fait"],
        "over": [
            .english: "This sign-in is over. This page can be closed.",
            .french: "Cette connexion est terminée. Cette page peut être fermée.",
        ],
    ])
}

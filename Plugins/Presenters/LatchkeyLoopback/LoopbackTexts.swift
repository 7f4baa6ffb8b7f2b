import Latchkey

/// The texts of the presenter, on its pages and before it opens a browser.
enum LoopbackTexts {
    static let table = TextTable([
        "open": [
            .english: "Open this address in a browser:", .french: "Ouvrez cette adresse dans un navigateur :",
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

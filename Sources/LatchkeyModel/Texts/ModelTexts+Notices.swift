import Latchkey

/// What to do about an error, and the buttons for it.
extension ModelTexts {
    static let notices: [String: [TextLanguage: String]] = [
        "guidance.signInRequired": [
            .english: "Sign in; what is stored here stays", .french: "Connectez-vous ; ce qui est enregistré ici reste",
        ],
        "guidance.signInRequired.banned": [
            .english: "Ask the service why; signing in again does not help",
            .french: "Demandez pourquoi au service ; se reconnecter n’aide pas",
        ],
        "guidance.offline": [
            .english: "Look at the connection; nothing that you entered was judged",
            .french: "Vérifiez la connexion ; votre saisie n’a pas été évaluée",
        ],
        "guidance.offline.graceOver": [
            .english: "Connect once, so that the service can confirm your session",
            .french: "Connectez-vous une fois au réseau pour que le service confirme votre session",
        ],
        "guidance.serviceTrouble": [
            .english: "It is not your fault; try again in a while",
            .french: "Vous n’y êtes pour rien ; réessayez dans un moment",
        ],
        "guidance.rateLimited": [
            .english: "Wait for the time shown, then try again", .french: "Attendez le délai affiché, puis réessayez",
        ],
        "guidance.busy": [.english: "Nothing is lost; try again", .french: "Rien n’est perdu ; réessayez"],
        "guidance.locked": [.english: "Unlock to go on", .french: "Déverrouillez pour continuer"],
        "guidance.unlockUnavailable.notEnrolled": [
            .english: "Set up an unlock on this device, or use another way",
            .french: "Configurez un déverrouillage sur cet appareil, ou utilisez un autre moyen",
        ],
        "guidance.unlockUnavailable.lockedOut": [
            .english: "Wait, or use another way", .french: "Attendez, ou utilisez un autre moyen",
        ],
        "guidance.lockedOut.seconds": [
            .english: "Try again in {count} s, or use another way",
            .french: "Réessayez dans {count} s, ou utilisez un autre moyen",
        ],
        "guidance.lockedOut.minutes": [
            .english: "Try again in {count} min, or use another way",
            .french: "Réessayez dans {count} min, ou utilisez un autre moyen",
        ],
        "guidance.unlockUnavailable.invalidated": [
            .english: "Sign in again, then set up the unlock anew",
            .french: "Reconnectez-vous, puis configurez de nouveau le déverrouillage",
        ],
        "guidance.unlockUnavailable.missing": [.english: "Use another way", .french: "Utilisez un autre moyen"],
        "guidance.refused": [
            .english: "Ask the service what it allows, or try another way",
            .french: "Demandez au service ce qu’il permet, ou essayez un autre moyen",
        ],
        "guidance.refused.wrongInput": [
            .english: "Check what you entered, then try again", .french: "Vérifiez votre saisie, puis réessayez",
        ],
        "guidance.refused.passwordNotAccepted": [
            .english: "Choose another one: longer, or less common",
            .french: "Choisissez-en un autre : plus long, ou moins courant",
        ],
        "guidance.refused.expired": [
            .english: "Ask for a new one, or begin again", .french: "Demandez-en un nouveau, ou recommencez",
        ],
        "guidance.refused.captcha": [
            .english: "Solve the puzzle of the service, then try again",
            .french: "Résolvez l’énigme du service, puis réessayez",
        ],
        "guidance.refused.factorRequired": [
            .english: "Have your second factor ready, and begin again",
            .french: "Préparez votre second facteur, et recommencez",
        ],
        "guidance.refused.otherPerson": [
            .english: "Sign out in the browser, then begin again",
            .french: "Déconnectez-vous dans le navigateur, puis recommencez",
        ],
        "guidance.declined": [.english: "Begin again when you like", .french: "Recommencez quand vous voulez"],
        "guidance.store": [
            .english: "Try again; if that does not help, restart the app",
            .french: "Réessayez ; sinon, redémarrez l’application",
        ],
        "guidance.store.damaged": [
            .english: "Sign in again; the damaged session is kept aside",
            .french: "Reconnectez-vous ; la session endommagée est mise de côté",
        ],
        "guidance.store.tampered": [
            .english: "Do not go on before you know who had access to this device",
            .french: "Ne continuez pas avant de savoir qui a eu accès à cet appareil",
        ],
        "guidance.store.rolledBack": [
            .english: "Do not go on before you know who had access to this device",
            .french: "Ne continuez pas avant de savoir qui a eu accès à cet appareil",
        ],
        "guidance.store.insecurePermissions": [
            .english: "Make the folder private, then try again", .french: "Rendez le dossier privé, puis réessayez",
        ],
        "guidance.store.readOnly": [
            .english: "Allow the app to write its folder, then try again",
            .french: "Autorisez l’application à écrire dans son dossier, puis réessayez",
        ],
        "guidance.store.full": [
            .english: "Free some space, then try again", .french: "Libérez de l’espace, puis réessayez",
        ],
        "guidance.store.notDurable": [
            .english: "You are signed in until the app ends",
            .french: "Vous êtes connecté jusqu’à la fermeture de l’application",
        ],
        "guidance.store.newerVersion": [.english: "Update the app", .french: "Mettez l’application à jour"],
        "guidance.configuration": [
            .english: "Tell the people who make the app", .french: "Prévenez ceux qui font l’application",
        ],
        "guidance.untrusted": [
            .english: "Stop, and try again on a network that you trust",
            .french: "Arrêtez, et réessayez sur un réseau de confiance",
        ],
        "guidance.cancelled": [.english: "Nothing happened", .french: "Rien ne s’est passé"],
        "guidance.other": [.english: "Try again", .french: "Réessayez"],
        "press.tryAgain": [.english: "Try again", .french: "Réessayer"],
        "press.signIn": [.english: "Sign in", .french: "Se connecter"],
        "press.unlock": [.english: "Unlock", .french: "Déverrouiller"],
        "press.unlockOtherWay": [.english: "Unlock another way", .french: "Déverrouiller autrement"],
        "press.startOver": [.english: "Sign in again", .french: "Se reconnecter"],
        "press.resend": [.english: "Send again", .french: "Envoyer de nouveau"],
        "press.correct": [.english: "Correct", .french: "Corriger"],
        "press.dismiss": [.english: "Close", .french: "Fermer"],
    ]
}

import Latchkey

/// What the screens say beside challenges and errors.
extension ModelTexts {
    static let screens: [String: [TextLanguage: String]] = [
        "loading.restoring": [.english: "Opening", .french: "Ouverture"],
        "loading.signingIn": [.english: "Signing in", .french: "Connexion"],
        "loading.answering": [.english: "Checking", .french: "Vérification"],
        "loading.resending": [.english: "Sending again", .french: "Nouvel envoi"],
        "loading.unlocking": [.english: "Unlocking", .french: "Déverrouillage"],
        "loading.changingUnlock": [.english: "Changing the unlock", .french: "Modification du déverrouillage"],
        "loading.stayingSignedIn": [.english: "Prolonging the session", .french: "Prolongation de la session"],
        "loading.signingOut": [.english: "Signing out", .french: "Déconnexion"],
        "loading.switchingAccount": [.english: "Switching the account", .french: "Changement de compte"],
        "loading.startingOver": [.english: "Ending every session", .french: "Fermeture de toutes les sessions"],
        "success.signIn": [.english: "You are signed in", .french: "Vous êtes connecté"],
        "success.signUp": [.english: "Your account is ready", .french: "Votre compte est prêt"],
        "success.recover": [.english: "You are back in your account", .french: "Vous avez retrouvé votre compte"],
        "success.link": [.english: "The way to sign in was added", .french: "Le moyen de connexion a été ajouté"],
        "elsewhere.message": [
            .english: "Go on in the message that was sent{to}", .french: "Continuez dans le message envoyé{to}",
        ],
        "elsewhere.page": [.english: "Go on at the page of the service", .french: "Continuez sur la page du service"],
        "elsewhere.approval": [
            .english: "Somebody else must approve first", .french: "Quelqu’un d’autre doit d’abord approuver",
        ],
        "elsewhere.signIn": [
            .english: "Everything is done; sign in now", .french: "Tout est prêt ; connectez-vous maintenant",
        ],
        "elsewhere.other": [
            .english: "Go on where the service said", .french: "Continuez là où le service l’a indiqué",
        ],
        "pause": [.english: "Try again in {count} s", .french: "Réessayez dans {count} s"],
        "resend": [.english: "Send again", .french: "Envoyer de nouveau"],
        "resend.later": [.english: "Send again in {count} s", .french: "Envoyer de nouveau dans {count} s"],
        "expiry.minute": [
            .english: "Your session ends in a minute", .french: "Votre session se termine dans une minute",
        ],
        "expiry.minutes": [
            .english: "Your session ends in {count} minutes", .french: "Votre session se termine dans {count} minutes",
        ],
        "expiry.access.minute": [
            .english: "Your access ends in a minute", .french: "Votre accès se termine dans une minute",
        ],
        "expiry.access.minutes": [
            .english: "Your access ends in {count} minutes", .french: "Votre accès se termine dans {count} minutes",
        ],
        "offer.unlock": [
            .english: "Ask for an unlock when the app opens?", .french: "Demander un déverrouillage à l’ouverture ?",
        ],
        "capsLock": [.english: "Caps lock is on", .french: "La touche Verr. Maj est active"],
        "address.noAt": [.english: "An address has an @", .french: "Une adresse contient un @"],
        "address.severalAts": [.english: "An address has one @ only", .french: "Une adresse ne contient qu’un seul @"],
        "address.noName": [.english: "Something belongs before the @", .french: "Il manque quelque chose avant le @"],
        "address.noDomain": [
            .english: "Something like example.com belongs after the @",
            .french: "Il manque quelque chose comme exemple.fr après le @",
        ],
        "address.space": [.english: "An address has no spaces", .french: "Une adresse ne contient pas d’espace"],
        "address.stray": [.english: "Look at the dots after the @", .french: "Vérifiez les points après le @"],
        "password.shortest": [
            .english: "Use {count} characters or more", .french: "Utilisez {count} caractères ou plus",
        ],
        "password.longest": [.english: "Use {count} bytes or fewer", .french: "Utilisez {count} octets ou moins"],
        "password.lowercase": [.english: "Use a lower-case letter", .french: "Utilisez une lettre minuscule"],
        "password.uppercase": [.english: "Use an upper-case letter", .french: "Utilisez une lettre majuscule"],
        "password.digit": [.english: "Use a digit", .french: "Utilisez un chiffre"],
        "password.symbol": [
            .english: "Use a symbol, such as ! or -", .french: "Utilisez un symbole, par exemple ! ou -",
        ],
        "method.password": [.english: "Sign in with a password", .french: "Se connecter avec un mot de passe"],
        "method.code": [.english: "Send me a code", .french: "Recevoir un code"],
        "method.code.phone": [.english: "Send a code to my phone", .french: "Recevoir un code par téléphone"],
        "method.link": [.english: "Send me a link", .french: "Recevoir un lien"],
        "method.browser": [.english: "Continue in the browser", .french: "Continuer dans le navigateur"],
        "method.connection": [.english: "Continue with {name}", .french: "Continuer avec {name}"],
        "method.enterprise": [.english: "Sign in with my organization", .french: "Se connecter avec mon organisation"],
        "method.device": [.english: "Use another device", .french: "Utiliser un autre appareil"],
        "method.passkey": [.english: "Sign in with a passkey", .french: "Se connecter avec une clé d’accès"],
        "method.wallet": [
            .english: "Sign in with a {name} wallet", .french: "Se connecter avec un portefeuille {name}",
        ],
        "method.anonymous": [.english: "Continue without an account", .french: "Continuer sans compte"],
        "method.custom": [.english: "Sign in with {name}", .french: "Se connecter avec {name}"],
    ]
}

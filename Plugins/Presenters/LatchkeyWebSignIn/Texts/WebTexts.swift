import Latchkey

/// What the pages say beside the texts of the model.
enum WebTexts {
    static let table = TextTable(pages.merging(messages) { own, _ in own })

    private static let pages: [String: [TextLanguage: String]] = [
        "language.name": [.english: "English", .french: "Français"],
        "title.sign-in": [.english: "Sign in", .french: "Connexion"],
        "title.sign-up": [.english: "Create an account", .french: "Créer un compte"],
        "title.reset": [.english: "Reset the password", .french: "Réinitialiser le mot de passe"],
        "title.elsewhere": [.english: "Go on elsewhere", .french: "Continuez ailleurs"],
        "title.account": [.english: "Your account", .french: "Votre compte"],
        "title.sessions": [.english: "Where you are signed in", .french: "Où vous êtes connecté"],
        "title.locked": [.english: "Locked", .french: "Verrouillé"],
        "state.error": [.english: "Error", .french: "Erreur"],
        "submit.sign-in": [.english: "Sign in", .french: "Se connecter"],
        "submit.sign-up": [.english: "Create the account", .french: "Créer le compte"],
        "submit.reset": [.english: "Send the message", .french: "Envoyer le message"],
        "identifier.mail": [.english: "Email address", .french: "Adresse électronique"],
        "identifier.phone": [.english: "Phone number", .french: "Numéro de téléphone"],
        "identifier.any": [.english: "User name or address", .french: "Nom d’utilisateur ou adresse"],
        "domain": [.english: "Domain of your organization", .french: "Domaine de votre organisation"],
        "password": [.english: "Password", .french: "Mot de passe"],
        "newPassword": [.english: "New password", .french: "Nouveau mot de passe"],
        "code": [.english: "Code", .french: "Code"],
        "backupCode": [.english: "Backup code", .french: "Code de secours"],
        "choice": [.english: "Ways to go on", .french: "Façons de continuer"],
        "continue": [.english: "Continue", .french: "Continuer"],
        "cancel": [.english: "Cancel", .french: "Annuler"],
        "check": [.english: "I have done it", .french: "C’est fait"],
        "complaints": [.english: "Something is missing", .french: "Il manque quelque chose"],
        "missing.identifier": [.english: "Fill this in", .french: "À remplir"],
        "missing.password": [.english: "Enter your password", .french: "Saisissez votre mot de passe"],
        "missing.domain": [.english: "Enter the domain", .french: "Saisissez le domaine"],
        "missing.fields": [.english: "Fill this in", .french: "À remplir"],
        "wrong": [.english: "That is wrong", .french: "C’est faux"],
        "methods": [.english: "Other ways to sign in", .french: "Autres façons de se connecter"],
        "link.sign-in": [.english: "Sign in", .french: "Se connecter"],
        "link.sign-up": [.english: "Create an account", .french: "Créer un compte"],
        "link.reset": [.english: "I have forgotten my password", .french: "J’ai oublié mon mot de passe"],
        "link.home": [.english: "Back to {name}", .french: "Retour à {name}"],
        "link.sessions": [.english: "Where you are signed in", .french: "Où vous êtes connecté"],
        "link.add": [.english: "Sign in with another account", .french: "Se connecter avec un autre compte"],
        "signedInAs": [.english: "You are signed in as {name}.", .french: "Vous êtes connecté en tant que {name}."],
        "account.unnamed": [.english: "a person without a name", .french: "une personne sans nom"],
        "account.offline": [
            .english: "The service cannot be reached; your session goes on",
            .french: "Le service est injoignable ; votre session continue",
        ],
        "accounts": [.english: "Other accounts in this browser", .french: "Autres comptes dans ce navigateur"],
        "switch": [.english: "Switch to {name}", .french: "Passer à {name}"],
        "signOut": [.english: "Sign out {name}", .french: "Déconnecter {name}"],
        "session.over": [
            .english: "Your session has ended; sign in again", .french: "Votre session est terminée ; reconnectez-vous",
        ],
        "sessions": [
            .english: "{name} is signed in in these browsers:", .french: "{name} est connecté dans ces navigateurs :",
        ],
        "session.here": [.english: "This browser", .french: "Ce navigateur"],
        "session.other": [.english: "Another browser", .french: "Un autre navigateur"],
        "session.since": [.english: "since", .french: "depuis"],
        "session.end": [.english: "Sign out there", .french: "Y mettre fin"],
        "session.endAll": [.english: "Sign out everywhere", .french: "Se déconnecter partout"],
        "qr": [.english: "QR code to scan with another device", .french: "Code QR à scanner avec un autre appareil"],
        "key": [.english: "The key to type:", .french: "La clé à saisir :"],
        "device.at": [.english: "Address", .french: "Adresse"],
        "device.code": [.english: "Code to enter there", .french: "Code à y saisir"],
        "visit.go": [.english: "Go to the sign-in page", .french: "Aller à la page de connexion"],
        "visit.insecure": [
            .english: "The address of the service is not secure", .french: "L’adresse du service n’est pas sécurisée",
        ],
        "challenge.visit": [
            .english: "Sign in on the page of the service; it leads you back here",
            .french: "Connectez-vous sur la page du service ; elle vous ramènera ici",
        ],
        "challenge.elsewhere": [
            .english: "This needs an app or another device; cancel, and sign in another way",
            .french: "Il faut une application ou un autre appareil ; annulez, et connectez-vous autrement",
        ],
        "locked": [
            .english: "Your sessions in this browser are locked.",
            .french: "Vos sessions dans ce navigateur sont verrouillées.",
        ],
        "proof": [.english: "PIN", .french: "Code PIN"],
        "proof.new": [.english: "Choose a PIN", .french: "Choisissez un code PIN"],
        "proof.hint": [.english: "Four digits or more", .french: "Quatre chiffres ou plus"],
        "unlock": [.english: "Unlock", .french: "Déverrouiller"],
        "unlock.on": [.english: "Switch the lock on", .french: "Activer le verrouillage"],
        "unlock.off": [.english: "Switch the lock off", .french: "Désactiver le verrouillage"],
        "lock": [.english: "Lock now", .french: "Verrouiller maintenant"],
        "startOver.title": [.english: "If you have lost the PIN", .french: "Si vous avez perdu le code PIN"],
        "startOver": [
            .english: "Ends every session in this browser, so that you can sign in again.",
            .french: "Met fin à toutes les sessions de ce navigateur pour que vous puissiez vous reconnecter.",
        ],
        "startOver.do": [.english: "End the sessions", .french: "Mettre fin aux sessions"],
    ]

    private static let messages: [String: [TextLanguage: String]] = [
        "flash.signedOut": [.english: "You are signed out", .french: "Vous êtes déconnecté"],
        "flash.ended": [.english: "That browser is signed out", .french: "Ce navigateur est déconnecté"],
        "flash.resent": [.english: "It was sent again", .french: "Un nouvel envoi est parti"],
        "flash.gone": [
            .english: "That was answered in another window, or came too late; this is where you are now",
            .french: "La réponse a été donnée dans une autre fenêtre, ou trop tard ; voici où vous en êtes",
        ],
        "flash.empty": [.english: "Fill this in", .french: "À remplir"],
        "message.notFound.title": [.english: "There is nothing here", .french: "Il n’y a rien ici"],
        "message.notFound": [.english: "The address is not one of ours", .french: "Cette adresse n’existe pas"],
        "message.malformed.title": [.english: "This cannot be read", .french: "Illisible"],
        "message.malformed": [
            .english: "The request is not one that a browser sends",
            .french: "Un navigateur n’envoie pas une telle demande",
        ],
        "message.tooLarge.title": [.english: "This is too much", .french: "C’est trop"],
        "message.tooLarge": [
            .english: "The request is larger than any of our forms", .french: "La demande dépasse nos formulaires",
        ],
        "message.method.title": [.english: "This cannot be done here", .french: "Impossible ici"],
        "message.method": [
            .english: "The page takes no such request", .french: "Cette page ne prend pas de telle demande",
        ],
        "message.foreignForm.title": [.english: "The form was not sent", .french: "Le formulaire n’a pas été envoyé"],
        "message.foreignForm": [
            .english: "It came from another site, or was open for too long; go back and begin again",
            .french: "Il vient d’un autre site, ou est resté ouvert trop longtemps ; revenez en arrière et recommencez",
        ],
        "message.strayReturn.title": [
            .english: "This belongs to no sign-in here", .french: "Cela n’appartient à aucune connexion ici",
        ],
        "message.strayReturn": [
            .english: "The address was used before, is too old, or is meant for another browser; nothing has changed",
            .french: "L’adresse a déjà servi, est trop ancienne, ou vise un autre navigateur ; rien n’a changé",
        ],
        "message.failed.title": [.english: "This does not work now", .french: "Cela ne marche pas maintenant"],
        "message.failed": [.english: "Try again", .french: "Réessayez"],
    ]
}

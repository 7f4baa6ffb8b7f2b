import LatchkeyHTTPServer

/// What the pages say, in every language.
enum PageTexts {
    /// One text. Words in braces are places for values.
    struct Text {
        var english: String
        var french: String

        func callAsFunction(in language: PageLanguage) -> String {
            switch language {
            case .english: english
            case .french: french
            }
        }
    }

    static let table = shared.merging(consent) { $1 }.merging(device) { $1 }.merging(inbox) { $1 }.merging(home) { $1 }
        .merging(refusals) { $1 }

    private static let shared: [String: Text] = [
        "footer": Text(
            english: "A development server. Everything is in memory and nothing is secret: use no real password here.",
            french: "Un serveur de développement. Tout est en mémoire et rien n’est secret : n’utilisez ici aucun vrai"
                + " mot de passe."),
        "error": Text(english: "Error: {title}", french: "Erreur : {title}"),
        "who": Text(english: "Who are you?", french: "Qui êtes-vous ?"),
        "password": Text(english: "Password", french: "Mot de passe"),
        "password.wrong": Text(english: "The password is wrong.", french: "Le mot de passe est erroné."),
        "approve": Text(english: "Approve", french: "Autoriser"),
        "deny": Text(english: "Deny", french: "Refuser"),
        "ago.now": Text(english: "just now", french: "à l’instant"),
        "ago.seconds": Text(english: "{n} seconds ago", french: "il y a {n} secondes"),
        "ago.minute": Text(english: "a minute ago", french: "il y a une minute"),
        "ago.minutes": Text(english: "{n} minutes ago", french: "il y a {n} minutes"),
        "ago.hour": Text(english: "an hour ago", french: "il y a une heure"),
        "ago.hours": Text(english: "{n} hours ago", french: "il y a {n} heures"),
        "ago.day": Text(english: "a day ago", french: "il y a un jour"),
        "ago.days": Text(english: "{n} days ago", french: "il y a {n} jours"),
    ]

    private static let consent: [String: Text] = [
        "consent.title": Text(english: "Sign in", french: "Connexion"),
        "consent.asks": Text(
            english: "{client} asks you to sign in. It would be able to:",
            french: "{client} vous demande de vous connecter. Il pourrait :"),
        "consent.back": Text(
            english: "Afterwards you go back to {place}.", french: "Ensuite vous revenez à {place}."),
        "scope.openid": Text(english: "know who you are", french: "savoir qui vous êtes"),
        "scope.profile": Text(english: "see your name", french: "voir votre nom"),
        "scope.email": Text(english: "see your email address", french: "voir votre adresse e-mail"),
        "scope.phone": Text(english: "see your phone number", french: "voir votre numéro de téléphone"),
        "scope.address": Text(english: "see your postal address", french: "voir votre adresse postale"),
        "scope.offline_access": Text(
            english: "stay signed in while you are away", french: "rester connecté en votre absence"),
        "scope.read": Text(english: "read your data", french: "lire vos données"),
        "scope.write": Text(english: "change your data", french: "modifier vos données"),
    ]

    private static let device: [String: Text] = [
        "device.title": Text(english: "Sign in a device", french: "Connecter un appareil"),
        "device.enter": Text(
            english: "Enter the code that your device shows now.",
            french: "Saisissez le code que votre appareil affiche maintenant."),
        "device.code": Text(english: "Code shown by the device", french: "Code affiché par l’appareil"),
        "device.continue": Text(english: "Continue", french: "Continuer"),
        "device.unknown": Text(
            english: "No device waits with this code.", french: "Aucun appareil n’attend avec ce code."),
        "device.yours": Text(english: "Is this your device?", french: "Est-ce votre appareil ?"),
        "device.shows": Text(english: "It must show this code now:", french: "Il doit afficher ce code maintenant :"),
        "device.warning": Text(
            english: "Approve only if you began this sign-in yourself. Whoever sent you the code would be signed in as"
                + " you.",
            french: "N’autorisez que si vous avez commencé cette connexion vous-même. La personne qui vous aurait"
                + " envoyé le code serait connectée à votre place."),
        "device.client": Text(english: "App", french: "Application"),
        "device.asked": Text(english: "Asked", french: "Demandé"),
        "device.place": Text(english: "{time}, from this machine", french: "{time}, depuis cette machine"),
        "device.scopes": Text(english: "It would be able to", french: "Il pourrait"),
        "device.approved.title": Text(english: "Signed in", french: "Connecté"),
        "device.approved": Text(
            english: "Go back to your device. You can close this page.",
            french: "Revenez à votre appareil. Vous pouvez fermer cette page."),
        "device.denied.title": Text(english: "Denied", french: "Refusé"),
        "device.denied": Text(
            english: "The device was not signed in. You can close this page.",
            french: "L’appareil n’a pas été connecté. Vous pouvez fermer cette page."),
        "device.tries.title": Text(english: "Too many wrong passwords", french: "Trop de mots de passe erronés"),
        "device.tries": Text(
            english: "The device was not signed in. Begin again on the device.",
            french: "L’appareil n’a pas été connecté. Recommencez sur l’appareil."),
    ]

    private static let inbox: [String: Text] = [
        "inbox.title": Text(english: "Inbox", french: "Boîte de réception"),
        "inbox.empty": Text(
            english: "No mail or SMS has been sent yet.", french: "Aucun e-mail ni SMS n’a encore été envoyé."),
        "inbox.refreshes": Text(
            english: "Newest first. The page refreshes every {n} seconds.",
            french: "Les plus récents d’abord. La page s’actualise toutes les {n} secondes."),
        "inbox.paused": Text(
            english: "Newest first. The page does not refresh.",
            french: "Les plus récents d’abord. La page ne s’actualise pas."),
        "inbox.pause": Text(english: "Stop refreshing", french: "Arrêter l’actualisation"),
        "inbox.resume": Text(english: "Refresh again", french: "Reprendre l’actualisation"),
        "inbox.code": Text(english: "Code", french: "Code"),
        "inbox.link": Text(english: "Open the link", french: "Ouvrir le lien"),
        "inbox.link.of": Text(english: "Open the link of message {n}", french: "Ouvrir le lien du message {n}"),
        "mail.signup": Text(english: "Confirm a new account", french: "Confirmer un nouveau compte"),
        "mail.invite": Text(english: "Invitation", french: "Invitation"),
        "mail.magiclink": Text(english: "Sign in", french: "Connexion"),
        "mail.recovery": Text(english: "Forgotten password", french: "Mot de passe oublié"),
        "mail.email_change": Text(english: "Confirm an address", french: "Confirmer une adresse"),
        "mail.sms": Text(english: "SMS to sign in", french: "SMS de connexion"),
        "mail.phone_change": Text(english: "Confirm a phone number", french: "Confirmer un numéro de téléphone"),
        "mail.reauthentication": Text(english: "Confirm that it is you", french: "Confirmer que c’est vous"),
        "mail.factor": Text(english: "Second factor", french: "Second facteur"),
        "mail.clerk_code": Text(english: "Code of the Clerk instance", french: "Code de l’instance Clerk"),
        "mail.clerk_link": Text(english: "Link of the Clerk instance", french: "Lien de l’instance Clerk"),
    ]

    private static let home: [String: Text] = [
        "home.title": Text(english: "Latchkey development server", french: "Serveur de développement de Latchkey"),
        "home.note": Text(english: "For development only.", french: "Pour le développement seulement."),
        "home.forgets": Text(
            english: "It forgets everything when it stops, and shows its passwords to anybody on this machine.",
            french: "Il oublie tout quand il s’arrête, et montre ses mots de passe à tous sur cette machine."),
        "home.issuer": Text(english: "Issuer", french: "Émetteur"),
        "home.metadata": Text(english: "Metadata", french: "Métadonnées"),
        "home.devices": Text(english: "Codes of devices", french: "Codes d’appareils"),
        "home.people": Text(english: "People and their passwords", french: "Personnes et mots de passe"),
        "home.supabase": Text(english: "Supabase project", french: "Projet Supabase"),
        "home.address": Text(english: "Address", french: "Adresse"),
        "home.key": Text(english: "Key", french: "Clé"),
        "home.anyKey": Text(english: "any", french: "n’importe laquelle"),
        "home.secretKey": Text(english: "Secret key", french: "Clé secrète"),
        "home.mail": Text(english: "Mail and SMS", french: "E-mails et SMS"),
        "home.clients": Text(english: "Clients", french: "Clients"),
        "home.secret": Text(english: "secret {secret}", french: "secret {secret}"),
        "home.public": Text(english: "public", french: "public"),
    ]

    private static let refusals: [String: Text] = [
        "refused.title": Text(english: "Request refused", french: "Demande refusée"),
        "refused.noForm": Text(
            english: "The request is no form, or names a parameter twice.",
            french: "La demande n’est pas un formulaire, ou nomme deux fois un paramètre."),
        "refused.twice": Text(
            english: "The client or the redirect URI is named twice.",
            french: "Le client ou l’adresse de retour est nommé deux fois."),
        "refused.client": Text(
            english: "The client is missing or unknown.", french: "Le client manque ou est inconnu."),
        "refused.redirect": Text(
            english: "The redirect URI is missing or not registered.",
            french: "L’adresse de retour manque ou n’est pas enregistrée."),
        "refused.page": Text(
            english: "The page is unknown, too old, or was shown to another browser. Begin again in the app.",
            french: "La page est inconnue, trop ancienne, ou a été montrée à un autre navigateur. Recommencez dans"
                + " l’application."),
        "refused.browser": Text(
            english: "The page was shown to another browser. Open it again.",
            french: "La page a été montrée à un autre navigateur. Ouvrez-la à nouveau."),
        "nothing.title": Text(english: "Not found", french: "Introuvable"),
        "nothing": Text(english: "There is nothing here.", french: "Il n’y a rien ici."),
    ]
}

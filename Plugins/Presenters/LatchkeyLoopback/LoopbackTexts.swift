import Latchkey

/// The texts of the presenter, on its pages and before it opens a browser.
enum LoopbackTexts {
    static let table = TextTable(
        [
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
                .english: "That is not a web address; it must begin with {redirect}",
                .french: "Ce n’est pas une adresse web ; elle doit commencer par {redirect}",
            ],
            "paste.beginning": [
                .english: "That is where the sign-in began; sign in there, then paste the address that follows,"
                    + " which begins with {redirect}",
                .french: "C’est là que la connexion a commencé ; connectez-vous, puis collez l’adresse qui suit,"
                    + " qui commence par {redirect}",
            ],
            "paste.elsewhere": [
                .english: "That is another page; the address must begin with {redirect}",
                .french: "C’est une autre page ; l’adresse doit commencer par {redirect}",
            ],
            "paste.incomplete": [
                .english: "That is only the beginning of the address; copy all of it",
                .french: "Ce n’est que le début de l’adresse ; copiez-la en entier",
            ],
            "paste.fragment": [
                .english: "The service put its answer behind a #, where no app can use it; it must answer with"
                    + " response_mode=query",
                .french: "Le service a mis sa réponse derrière un #, où aucune application ne peut l’utiliser ; il doit"
                    + " répondre avec response_mode=query",
            ],
            "paste.otherSignIn": [
                .english: "That is the answer to another sign-in; paste the one of the address shown above",
                .french: "C’est la réponse à une autre connexion ; collez celle de l’adresse ci-dessus",
            ],
            "paste.tooLong": [
                .english: "That is too long for the address; copy nothing else with it",
                .french: "C’est trop long pour l’adresse ; ne copiez rien d’autre avec elle",
            ],
        ].merging(pages) { own, _ in own })

    /// `{app}` is the app's name, or the words under `app`; at the beginning of a text, those under `app.first`.
    private static let pages: [String: [TextLanguage: String]] = [
        "app": [.english: "the app", .french: "l’application"],
        "app.first": [.english: "The app", .french: "L’application"],
        "signedIn.title": [.english: "You are signed in", .french: "Vous êtes connecté"],
        "signedIn": [
            .english: "You can go back to {app}.", .french: "Vous pouvez revenir à {app}.",
        ],
        "signedIn.account": [
            .english: "You use {app} as {account} now.",
            .french: "Vous utilisez maintenant {app} en tant que {account}.",
        ],
        "goesOn.title": [.english: "Go on in {app}", .french: "Continuez dans {app}"],
        "goesOn": [
            .english: "The browser has done its part. {app} says what comes next.",
            .french: "Le navigateur a fait sa part. {app} indique la suite.",
        ],
        "failed.title": [.english: "You are not signed in", .french: "Vous n’êtes pas connecté"],
        "failed.denied": [
            .english: "The sign-in was declined, by you or by the service.",
            .french: "La connexion a été refusée, par vous ou par le service.",
        ],
        "failed.cancelled": [
            .english: "The sign-in was stopped in {app}.", .french: "La connexion a été arrêtée dans {app}.",
        ],
        "failed.expired": [
            .english: "The sign-in took too long, and has ended.",
            .french: "La connexion a pris trop de temps ; elle est terminée.",
        ],
        "next.signIn": [
            .english: "Sign in again from {app}.", .french: "Reconnectez-vous depuis {app}.",
        ],
        "next.retryLater": [
            .english: "Try again later, from {app}.", .french: "Réessayez plus tard, depuis {app}.",
        ],
        "next.unlock": [
            .english: "Unlock {app}, then sign in again.", .french: "Déverrouillez {app}, puis reconnectez-vous.",
        ],
        "next.correctInput": [
            .english: "To sign in after all, begin again from {app}.",
            .french: "Pour vous connecter malgré tout, recommencez depuis {app}.",
        ],
        "next.repairStore": [
            .english: "The place where {app} keeps sessions needs repair first.",
            .french: "L’endroit où {app} garde les sessions doit d’abord être réparé.",
        ],
        "next.fixConfiguration": [
            .english: "The people who set up {app} have to correct this.",
            .french: "C’est à la personne qui a configuré {app} de le corriger.",
        ],
        "next.investigate": [
            .english: "Somebody may have interfered. Begin again only from {app}, and on a network that you trust.",
            .french: "Quelqu’un est peut-être intervenu. Ne recommencez que depuis {app}, et sur un réseau sûr.",
        ],
        "next.report": [
            .english: "The service's answer cannot be used. The people who set up {app} have to correct this.",
            .french:
                "La réponse du service est inutilisable. C’est à la personne qui a configuré {app} de le corriger.",
        ],
        "next.none": [
            .english: "To sign in, begin again from {app}.", .french: "Pour vous connecter, recommencez depuis {app}.",
        ],
        "doubtful.title": [.english: "The sign-in did not succeed", .french: "La connexion n’a pas abouti"],
        "doubtful": [
            .english: "Sign in again from {app}, or cancel there.",
            .french: "Recommencez depuis {app}, ou annulez-y.",
        ],
        "stray.anonymousError": [
            .english: "The service sent an error that does not say to which sign-in it belongs. Often it does not know"
                + " this client, or not this redirect address.",
            .french: "Le service a envoyé une erreur sans dire de quelle connexion. Souvent il ne connaît pas ce"
                + " client, ou pas cette adresse de redirection.",
        ],
        "stray.otherSignIn": [
            .english: "The browser came back from another sign-in, such as one that was begun earlier.",
            .french: "Le navigateur est revenu d’une autre connexion, par exemple commencée plus tôt.",
        ],
        "stray.withoutAnswer": [
            .english: "The browser came back without the service's answer. If there is a # in its address, the service"
                + " is set to response_mode=fragment; it must be query.",
            .french: "Le navigateur est revenu sans la réponse du service. S’il y a un # dans son adresse, le service"
                + " est réglé sur response_mode=fragment ; il faut query.",
        ],
        "stray.form": [
            .english: "The service sent its answer as a form (response_mode=form_post); it must be query.",
            .french: "Le service a envoyé sa réponse en formulaire (response_mode=form_post) ; il faut query.",
        ],
        "stray.tooLong": [
            .english: "The service's answer is too long: more than 8 KiB.",
            .french: "La réponse du service est trop longue : plus de 8 Kio.",
        ],
        "stray.unreadable": [
            .english: "The browser came back with an address that cannot be read.",
            .french: "Le navigateur est revenu avec une adresse illisible.",
        ],
        "stray.longHead": [
            .english: "The browser sent more than 64 KiB of cookies and other fields, and was not answered. Delete the"
                + " cookies of this machine in it, or use a private window.",
            .french: "Le navigateur a envoyé plus de 64 Kio de cookies et d’autres champs, et n’a pas eu de réponse."
                + " Supprimez-y les cookies de cette machine, ou prenez une fenêtre privée.",
        ],
        "stray.otherHost": [
            .english: "The browser came back to another host name or port than the redirect's, and was not answered.",
            .french: "Le navigateur est revenu à un autre nom d’hôte ou port que ceux de la redirection, et n’a pas eu"
                + " de réponse.",
        ],
        "stray.otherUser": [
            .english: "A browser of another user of this machine came back, and was not answered: only the user who"
                + " began the sign-in is.",
            .french: "Un navigateur d’un autre utilisateur de cette machine est revenu, et n’a pas eu de réponse : seul"
                + " l’utilisateur qui a commencé la connexion en a une.",
        ],
        "stray.unknownOwner": [
            .english: "A browser came back of which the system does not say whose it is, as through a container's"
                + " mapped port, and was not answered.",
            .french: "Un navigateur est revenu dont le système ne dit pas à qui il est, comme par le port d’un"
                + " conteneur, et n’a pas eu de réponse.",
        ],
        "refused.title": [.english: "The sign-in is not finished", .french: "La connexion n’est pas terminée"],
        "refused": [
            .english: "{app} still waits. Go back there to see how to go on.",
            .french: "{app} attend toujours. Retournez-y pour voir comment continuer.",
        ],
        "refused.paste": [
            .english: "{app} still waits: copy the address of this page, and paste it there.",
            .french: "{app} attend toujours : copiez l’adresse de cette page, et collez-la là-bas.",
        ],
        "stray.waiting": [
            .english: "Still waiting for the browser.", .french: "Toujours en attente du navigateur.",
        ],
        "finishing.title": [.english: "Finishing the sign-in…", .french: "La connexion se termine…"],
        "finishing": [
            .english: "This page shows by itself how it ended. If {app} asks something, answer there.",
            .french: "Cette page montrera d’elle-même comment elle s’est terminée."
                + " Si {app} demande quelque chose, répondez-y.",
        ],
        "finishing.again": [.english: "Look again now", .french: "Regarder à nouveau"],
        "over.title": [.english: "Already done", .french: "Déjà fait"],
        "over": [
            .english: "This sign-in is over. To sign in again, begin in {app}.",
            .french: "Cette connexion est terminée. Pour vous reconnecter, commencez dans {app}.",
        ],
        "visit.title": [.english: "Sign in", .french: "Connexion"],
        "visit": [.english: "Continue to sign in", .french: "Continuer vers la connexion"],
        "close": [.english: "You can close this page.", .french: "Vous pouvez fermer cette page."],
        "close.failed": [
            .english: "You find the details there. You can close this page.",
            .french: "Vous y trouverez les détails. Vous pouvez fermer cette page.",
        ],
    ]
}

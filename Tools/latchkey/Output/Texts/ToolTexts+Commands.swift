import Latchkey

extension ToolTexts {
    /// The texts of single commands.
    static let commands: [String: [TextLanguage: String]] = [
        "end.service": [
            .english:
                "Waits for {origin} to answer, because the session would be lost without the answer. Another signal ends at once.",
            .french:
                "Attente de la réponse de {origin}, car la session serait perdue sans elle. Un autre signal met fin aussitôt.",
        ],
        "end.store": [
            .english:
                "Waits until the session's state is stored, because it would be lost otherwise. Another signal ends at once.",
            .french:
                "Attente de l’enregistrement de l’état de la session, car il serait perdu sinon. Un autre signal met fin aussitôt.",
        ],
        "end.stored": [
            .english: "The session's state is stored now; \"{command}\" shows it",
            .french: "L’état de la session est maintenant enregistré ; « {command} » le montre",
        ],
        "answer.unreadable": [
            .english: "The profile {profile} is passed over: {reason}",
            .french: "Le profil {profile} est laissé de côté : {reason}",
        ],
        "accounts.none": [.english: "Nobody is signed in.", .french: "Personne n’est connecté."],
        "accounts.current": [
            .english: "The current account is {account}.", .french: "Le compte courant est {account}.",
        ],
        "profiles.none": [.english: "No profiles yet. {hint}", .french: "Pas encore de profils. {hint}"],
        "profiles.removed": [.english: "Removed the profile {profile}.", .french: "Profil {profile} supprimé."],
        "profiles.removedEnded": [
            .english: "Removed the profile {profile}. {sessions:session was|sessions were} ended.",
            .french: "Profil {profile} supprimé. {sessions:session a été terminée|sessions ont été terminées}.",
        ],
        "profiles.removedUnread": [
            .english:
                "Removed the profile {profile}, which could not be read, and all that was here of it. Its service could not be told: sessions last there until they run out.",
            .french:
                "Profil {profile} supprimé, illisible, avec tout ce qu’il avait ici. Son service n’a pas pu être prévenu : les sessions y durent jusqu’à leur terme.",
        ],
        "profiles.removedUntold": [
            .english:
                "Removed the profile {profile}. {sessions:session was|sessions were} ended here; the service keeps {untold:session|sessions} until they run out, because it could not be told.",
            .french:
                "Profil {profile} supprimé. {sessions:session a été terminée|sessions ont été terminées} ici ; le service garde {untold:session|sessions} jusqu’à leur terme, faute d’avoir pu être prévenu.",
        ],
        "secret.missing": [
            .english: "{reason}. Sessions end on this machine without it, but the service cannot be told yet",
            .french: "{reason}. Les sessions se terminent ici sans lui, mais le service ne peut pas encore l’apprendre",
        ],
        "profiles.unreadable": [
            .english: "Sessions of this profile cannot be ended, because they cannot be read: {reason}",
            .french: "Des sessions de ce profil ne peuvent être terminées, car elles sont illisibles : {reason}",
        ],
        "profiles.changed": [.english: "Changed the profile {profile}.", .french: "Profil {profile} modifié."],
        "profiles.changedLater": [
            .english: "Changed the profile {profile}. The next sign-in asks for it: {command}",
            .french: "Profil {profile} modifié. La prochaine connexion le demandera : {command}",
        ],
        "profiles.used": [
            .english: "The default profile is {profile}.", .french: "Le profil par défaut est {profile}.",
        ],
        "profiles.default": [.english: "the default", .french: "par défaut"],
        "method.browser": [.english: "in a browser", .french: "dans un navigateur"],
        "method.device": [.english: "with another device", .french: "avec un autre appareil"],
        "method.password": [.english: "with a password", .french: "par mot de passe"],
        "method.code": [.english: "with a code that is sent", .french: "par un code envoyé"],
        "method.link": [.english: "with a link that is sent", .french: "par un lien envoyé"],
        "method.service": [.english: "as the client itself", .french: "comme le client lui-même"],
        "login.secretUnused": [
            .english: "{variable} is set but not used; {option} takes the client's secret from it",
            .french: "{variable} est définie mais ne sert pas ; {option} y prend le secret du client",
        ],
        "secret.prompt": [.english: "asked for each time", .french: "demandé chaque fois"],
        "label.method": [.english: "signs in", .french: "connexion"],
        "label.audiences": [.english: "audiences", .french: "destinataires"],
        "label.origins": [.english: "allowed origins", .french: "origines permises"],
        "label.redirect": [.english: "redirect", .french: "redirection"],
        "label.port": [.english: "redirect port", .french: "port de redirection"],
        "label.endpoints": [.english: "endpoints", .french: "adresses"],
        "scopes.none": [.english: "none", .french: "aucun"],
        "scopes.added": [.english: "the usual ones and {scopes}", .french: "les habituelles et {scopes}"],
        "label.secret": [.english: "client secret", .french: "secret du client"],
        "label.accepted": [.english: "accepted directory", .french: "dossier accepté"],
        "label.caFile": [.english: "authorities", .french: "autorités"],
        "label.proxy": [.english: "proxy", .french: "mandataire"],
        "account.subject": [
            .english: "the person with the id {id}", .french: "la personne dont l’identifiant est {id}",
        ],
        "account.guest": [.english: "guest {id}", .french: "invité {id}"],
        "account.unnamed": [.english: "a person without a name", .french: "une personne sans nom"],
        "label.trustedIssuers": [.english: "trusted issuers", .french: "émetteurs de confiance"],
        "label.trusted": [.english: "trusted audiences", .french: "audiences de confiance"],
        "label.parameters": [.english: "parameters", .french: "paramètres"],
        "label.reuseInterval": [.english: "answer repeated for", .french: "réponse répétée pendant"],
        "label.consent": [.english: "consent", .french: "consentement"],
        "consent.always": [.english: "always asked for", .french: "toujours demandé"],
        "consent.never": [.english: "never asked for", .french: "jamais demandé"],
        "label.reach": [.english: "a revocation ends", .french: "une révocation met fin à"],
        "reach.signIn": [.english: "one sign-in", .french: "une connexion"],
        "reach.session": [
            .english: "all sign-ins of the same browser", .french: "toutes les connexions du même navigateur",
        ],
        "reach.client": [
            .english: "all sign-ins of the person at this client",
            .french: "toutes les connexions de la personne auprès de ce client",
        ],
        "label.product": [.english: "product", .french: "produit"],
        "answer.none": [.english: "Nothing is open.", .french: "Rien n’est en suspens."],
        "answer.answered": [.english: "The answer was {status}", .french: "La réponse a été {status}"],
        "answer.redirect": [
            .english: "The answer was {status}: a redirect to {target}, which is not followed",
            .french: "La réponse a été {status} : une redirection vers {target}, qui n’est pas suivie",
        ],
        "answer.redirectNowhere": [
            .english: "The answer was {status}: a redirect that names no address",
            .french: "La réponse a été {status} : une redirection qui ne nomme aucune adresse",
        ],
        "answer.unauthorized": [
            .english: "The answer was {status}: the token is not accepted there",
            .french: "La réponse a été {status} : le jeton n’y est pas accepté",
        ],
        "answer.tooMany": [
            .english: "The answer was {status}: too many requests, try later",
            .french: "La réponse a été {status} : trop de requêtes, réessayez plus tard",
        ],
        "elsewhere.message": [
            .english: "A message is on its way. Go on by it.", .french: "Un message est en route. Continuez avec lui.",
        ],
        "elsewhere.messageTo": [
            .english: "A message is on its way to {address}. Go on by it.",
            .french: "Un message est en route vers {address}. Continuez avec lui.",
        ],
        "elsewhere.page": [.english: "Go on at {url}", .french: "Continuez à l’adresse {url}"],
        "elsewhere.approval": [
            .english: "Somebody has to approve first.", .french: "Quelqu’un doit d’abord approuver.",
        ],
        "elsewhere.signIn": [.english: "Done. Sign in now.", .french: "C’est fait. Connectez-vous maintenant."],
        "plain.open": [.english: "Open {url}", .french: "Ouvrez {url}"],
        "plain.enter": [.english: "and enter {code}", .french: "et saisissez {code}"],
        "plain.link": [
            .english: "A link was sent. Open it on this machine",
            .french: "Un lien a été envoyé. Ouvrez-le sur cette machine",
        ],
        "plain.linkTo": [
            .english: "A link was sent to {address}. Open it on this machine",
            .french: "Un lien a été envoyé à {address}. Ouvrez-le sur cette machine",
        ],
        "ask.identifier": [.english: "Mail address or telephone number", .french: "Adresse ou numéro de téléphone"],
        "ask.clientSecret": [.english: "Client secret", .french: "Secret du client"],
        "progress.asking": [.english: "Asking", .french: "Demande en cours"],
        "progress.answering": [.english: "Answering", .french: "Réponse en cours"],
        "progress.refreshing": [.english: "Refreshing", .french: "Renouvellement en cours"],
        "progress.removing": [.english: "Removing", .french: "Suppression en cours"],
        "progress.signingOut": [.english: "Signing out", .french: "Déconnexion en cours"],
        "progress.heldOff": [
            .english: "Waiting {time}: an earlier request for this session may still be under way.",
            .french: "Attente de {time} : une requête précédente pour cette session est peut-être encore en route.",
        ],
        "progress.settling": [
            .english: "Telling the service of earlier sign-outs",
            .french: "Le service est prévenu des déconnexions passées",
        ],
        "label.challenge": [.english: "challenge", .french: "question"],
        "label.wants": [.english: "wants", .french: "attend"],
        "label.sentTo": [.english: "sent to", .french: "envoyé à"],
        "label.another": [.english: "another", .french: "un autre"],
        "label.open": [.english: "open", .french: "ouvrir"],
        "label.code": [.english: "code", .french: "code"],
        "label.key": [.english: "key", .french: "clé"],
        "label.until": [.english: "until", .french: "jusqu’au"],
        "label.choice": [.english: "choice", .french: "choix"],
        "label.field": [.english: "field", .french: "champ"],
        "label.user": [.english: "user", .french: "utilisateur"],
        "label.client": [.english: "client", .french: "client"],
        "label.inbox": [.english: "inbox", .french: "courrier"],
        "dev.user": [.english: "{name}, password {password}", .french: "{name}, mot de passe {password}"],
        "dev.secret": [
            .english: "{client}, secret {secret} ({grants})", .french: "{client}, secret {secret} ({grants})",
        ],
        "dev.client": [.english: "{client} ({grants})", .french: "{client} ({grants})"],
        "dev.project": [
            .english: "{url}, key {key}, secret key {secret}", .french: "{url}, clé {key}, clé secrète {secret}",
        ],
        "dev.oauth": [
            .english: "Development only. Sign in with: {command}",
            .french: "Pour le développement seulement. Connectez-vous par : {command}",
        ],
        "dev.supabase": [.english: "or with: {command}", .french: "ou par : {command}"],
        "dev.clerk": [
            .english: "or as {email}, password {password}, with: {command}",
            .french: "ou en tant que {email}, mot de passe {password}, par : {command}",
        ],
        "exec.shell": [
            .english: "Starting a shell with the token. \"exit\" ends it.",
            .french: "Lancement d’un interpréteur avec le jeton. « exit » y met fin.",
        ],
        "dev.stops": [.english: "Stops at Ctrl-C.", .french: "S’arrête par Ctrl-C."],
        "clerk.ended": [.english: "Ended the session {id}.", .french: "Session {id} terminée."],
        "clerk.noOrganizations": [
            .english: "The person is in no organization.", .french: "La personne n’est dans aucune organisation.",
        ],
        "clerk.selected": [
            .english: "The session's tokens are for {id} now.",
            .french: "Les jetons de la session sont désormais pour {id}.",
        ],
        "clerk.selectedNone": [
            .english: "The session's tokens are for no organization now.",
            .french: "Les jetons de la session ne sont plus pour une organisation.",
        ],
        "label.name": [.english: "name", .french: "nom"],
        "label.email": [.english: "email", .french: "adresse"],
        "label.phone": [.english: "phone", .french: "téléphone"],
        "label.unconfirmed": [.english: "to be confirmed", .french: "à confirmer"],
        "label.anonymous": [.english: "anonymous", .french: "anonyme"],
        "label.identities": [.english: "identities", .french: "identités"],
        "label.factors": [.english: "further factors", .french: "autres facteurs"],
        "yes": [.english: "yes", .french: "oui"],
        "none": [.english: "none", .french: "aucun"],
    ]
}

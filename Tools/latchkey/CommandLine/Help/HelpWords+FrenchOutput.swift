extension HelpWords {
    /// Members of the output with `--json`.
    static let frenchOutput: [String: String] = [
        ".accessUntil": "Quand expire le jeton d’accès, RFC 3339, UTC ; absent s’il n’y en a pas",
        "refresh .accessUntil": "Quand expire le nouveau jeton ; absent si le service ne le dit pas",
        ".accounts": "Une liste d’objets, chacun tel que « latchkey status » le montre",
        ".account": "L’identifiant du compte",
        "events .account": "L’identifiant du compte, si l’événement en concerne un",
        "logout .account": "Qui a été déconnecté, avec --others ailleurs ; absent si personne ne l’a été",
        "login .account": "L’identifiant du compte ; utilisable avec --account",
        "answer .account": "L’identifiant du compte ; utilisable avec --account",
        "status .account": "L’identifiant du compte ; utilisable avec --account",
        ".at": "Quand il a été vu, RFC 3339, UTC",
        "events .audience": "Pour qui est le nouveau jeton ; absent pour le destinataire par défaut",
        "token .audience": "Pour qui est le jeton ; vide : le destinataire par défaut du service",
        ".sessionUntil":
            "Quand expire le jeton de renouvellement, et la session avec lui, RFC 3339, UTC ; absent si le service ne le dit pas",
        ".refreshable":
            "false si le service n’a pas donné de jeton de renouvellement : la session se termine avec son jeton d’accès ; sinon absent",
        ".authenticatedAt": "Quand la personne a prouvé qui elle est pour la dernière fois ; absent si on l’ignore",
        ".bodyBase64": "Le contenu, s’il n’est pas de l’UTF-8",
        ".body": "Le contenu, s’il est de l’UTF-8",
        ".by": "Qui a déconnecté : app, elsewhere, service",
        ".challenges": "Sans identifiant : une liste d’objets tels que « latchkey login --detach » les affiche",
        ".challenge": "Avec --detach : son identifiant, pour « latchkey answer »",
        ".checks": "Une liste d’objets : check, verdict (ok, warn, fail), message, et remedy sauf si c’est ok",
        ".choices": "Avec --detach : choose : une liste d’objets, id et label",
        ".clerk": "Un objet : publishableKey, secretKey, proxyUrl, settings, users avec email et password",
        ".clients": "Une liste d’objets : clientId, grants, et secret pour un client confidentiel",
        ".claims":
            "D’un profil OAuth un objet : chaque indication (claim), par son nom ; absent sans la portée openid",
        ".current": "Si c’est le compte courant",
        "logout .current": "Qui est maintenant le compte courant ; absent si personne ne l’est",
        ".fields":
            "Avec --detach : fields : une liste d’objets, name, required, et secret pour ce qui ne doit pas être montré",
        ".email": "L’adresse électronique ; absente si le service n’en donne pas",
        ".entries":
            "show : une liste d’objets : number, kind, time, action, result, reason, provider, method, account,"
            + " actor, device, process, count",
        ".erased": "erase : combien de lignes ; absent si toutes",
        ".findings": "verify : une liste de ce qui ne va pas ; vide si tout va",
        ".lines": "verify : combien il y en a",
        ".event":
            "state, signedIn, refreshed, expiring, authenticationRequired, signedOut, currentChanged,"
            + " locked, unlocked ou gap",
        "token .expiresAt": "Quand il expire, RFC 3339, UTC ; absent si le service ne le dit pas",
        "login .expiresAt": "Avec --detach : quand on ne pourra plus y répondre ; absent si on l’ignore",
        ".expiresInSeconds": "Combien il dure encore, en secondes entières ; absent si le service ne le dit pas",
        ".factors": "user, factors : une liste d’objets : id, type, name, phone, verified",
        ".factor": "factors enroll, verify, unenroll : l’identifiant du facteur",
        ".generation": "status : combien de fois il a été écrit",
        ".headers": "Une liste d’objets : name, value",
        ".identities": "user, identities : une liste d’objets : id, provider, email",
        ".identity": "identities unlink : l’identifiant de l’identité",
        "whoami .issuer": "Le service (issuer) ; d’un projet Supabase ou d’une instance Clerk, son adresse",
        ".issuer": "Son adresse, pour latchkey login --issuer, ou --supabase",
        ".key": "Avec --detach : enrolment : la clé pour une application d’authentification, en Base32",
        ".kind":
            "Avec --detach : ce qui est attendu : visit, openedLink, code, device, password, newPassword,"
            + " totp, enrolment, choose, fields, captcha ou other",
        ".label":
            "Un nom à afficher, « guest » et le début de l’identifiant pour un invité ; absent si le service n’en donne pas",
        "events .label": "Le nom du compte, comme dans « latchkey status » ; absent s’il n’en a pas",
        ".open": "status : combien de fichiers il a ouverts",
        ".pendingRevocations": "Combien de déconnexions le service ignore encore",
        ".problem": "code et message d’un enregistrement illisible d’un autre compte ; absent s’il n’y en a pas",
        ".name": "Le nom de la personne ; absent si le service n’en donne pas",
        ".profile, issuer, clientId":
            "Le profil utilisé ; d’un projet Supabase ou d’une instance Clerk, son adresse et sa clé",
        ".profiles":
            "Une liste d’objets : profile, service, issuer, clientId, method, default, capabilities : ce"
            + " que le service sait faire en plus de connecter ; scopes, audiences, trustedAudiences, allowedOrigins ; redirectUri,"
            + " redirectPort, clientSecret (environment, file ou prompt), caFile, acceptedDirectory, proxy, product, consent (always ou never), revocationReach, reuseInterval (secondes), trustedIssuers, endpoints, hasIssuer (false)"
            + " et defaultScopes (false : aucune n’est demandée ; true : les habituelles aussi) s’ils sont donnés",
        ".profile": "Le profil",
        "answer .profile": "Sinon : le profil",
        "login .profile": "Le profil créé ou utilisé",
        ".reason": "Pourquoi quelqu’un doit se reconnecter",
        ".records": "verify, migrate : combien",
        ".recoveryCode": "init, add-slot : le code, montré une seule fois",
        ".redirect": "Avec --detach : visit : l’adresse à laquelle le navigateur arrivera",
        ".removed": "remove : le nom",
        ".signedOut": "remove --force : combien de sessions ont été terminées",
        ".untold": "remove --force : de combien de leurs fins le service ne saura jamais rien",
        ".repaired": "repair : les chemins modifiés",
        ".resendAfterSeconds": "Avec --detach : code, openedLink : combien attendre avant d’en demander un autre",
        ".result": "revoked, revocationQueued, revocationRefused, localOnly ou nothingToDo",
        ".running": "status : s’il est là",
        ".scopes": "Ce qui a été accordé ; absent si le service ne le dit pas",
        "unlock .seconds": "Combien de temps l’agent garde la clé",
        "agent .seconds": "status : combien de temps il garde encore ses clés",
        ".sentTo": "Avec --detach : code, openedLink : où il a été envoyé ; absent si le service ne le dit pas",
        ".sub": "L’identifiant de la personne auprès du service ; absent si le service ne le dit pas",
        ".service": "La sorte de service du profil : oauth, supabase ou clerk",
        ".size": "status : octets",
        ".slots": "status : une liste d’objets : index, kind, source",
        ".slot": "add-slot : son index",
        "events .state": "Tel que « latchkey status » le montre",
        ".state": "fresh, stale, offline, locked, signedOut, restoring, clientRefused, ou signInRequired.RAISON",
        ".clientRefused":
            "true si le service a refusé ce client au dernier renouvellement, de sorte qu’aucun nouveau jeton n’est disponible ;"
            + " absent sinon",
        ".status": "Le code de statut",
        "login .store": "kind (unencryptedFiles, keyring ou encryptedFile) et path de l’emplacement de la session",
        "status .store":
            "kind (unencryptedFiles, keyring ou encryptedFile), path et open de l’emplacement de la session",
        "store .store": "status : kind, path et open",
        ".suite": "status : avec quoi il est chiffré",
        ".supabase":
            "Un objet : url, publishableKey, secretKey, jwtSecret avec HS256, inbox, users avec email et password",
        ".triedUntil":
            "Avec revocationQueued : jusqu’à quand une commande ultérieure prévient le service, RFC 3339, UTC",
        ".tokenType": "Comment il est envoyé : Bearer ou DPoP ; id_token avec --id",
        ".token": "Le jeton",
        ".type": "factors enroll : totp ou phone",
        ".unlockSeconds": "status : combien prend l’essai d’une phrase de passe sur cette machine",
        ".unreadable": "migrate : combien restent parce qu’ils sont endommagés",
        ".uri, secret": "factors enroll : ce qui est donné à l’application d’authentification",
        ".url": "Avec --detach : visit, device : l’adresse à ouvrir ; enrolment : l’adresse otpauth",
        ".userCode": "Avec --detach : device : le code à y saisir",
        "clerk .user":
            "me : id, username, firstName, lastName, emails et phones avec id, value, verified et primary",
        ".sessions": "sessions : une liste d’objets : id, current, status, lastActiveAt, device, place",
        ".organizations":
            "organizations : une liste d’objets : id, name, slug, role, permissions, selected",
        ".session": "sessions end : l’identifiant de la session",
        ".organization": "organizations select : l’identifiant de l’organisation ; vide pour aucune",
        ".users": "Une liste d’objets : name, password",
        ".user": "user : id, email, emailConfirmed, newEmail, phone, phoneConfirmed, newPhone, anonymous, metadata",
        ".verdict": "Le pire des verdicts",
        "lock .wasUnlocked": "Si un agent était là",
        "agent .wasUnlocked": "stop : s’il était là",
    ]
}

extension HelpWords {
    /// Commands and their paragraphs.
    static let frenchCommands: [String: String] = [
        "login": "Vous connecte, et retient avec quoi",
        "login 1":
            "La première fois, --issuer et --client-id disent où ; le profil les retient. Le secret du"
            + " client, s’il y en a un, vient de --client-secret-file, avec --client-secret-env de $LATCHKEY_CLIENT_SECRET,"
            + " ou du terminal avec --ask-client-secret ; le profil retient d’où, jamais le secret. Sans cette option, la"
            + " variable n’est pas lue : elle ne va qu’au service et au client pour lesquels vous l’avez donnée.",
        "login 2":
            "Le document du service décide de ce qui est demandé. À un service sans OpenID Connect on ne demande pas qui est"
            + " la personne, et la session n’a pas de nom. Pour un service sans document, donnez --client-id avec"
            + " --authorization-endpoint (ou --device-endpoint) et --token-endpoint au lieu de --issuer.",
        "login 3":
            "Pour Supabase c’est --supabase et --key, pour Clerk --clerk avec la clé publiable ; puis --password, --code, --link ou --provider, et"
            + " --account pour dire qui. Les autres facteurs sont demandés à qui en a. Un mot de passe est"
            + " demandé au terminal ou vient de l’entrée standard, jamais d’un argument. Nul n’apprend si une adresse a un"
            + " compte : un code est demandé dans tous les cas, et --sign-up crée le compte.",
        "login 4":
            "--forgot sert à qui a perdu son mot de passe : le service envoie un code, avec lequel vous choisissez un"
            + " nouveau mot de passe. D’un script, --code-from-stdin lit le code et --password-from-stdin le nouveau mot de passe,"
            + " une ligne chacun ; ou --detach s’arrête après l’envoi, et « latchkey answer » continue.",
        "login 5":
            "Sans terminal, --device, --link et --no-browser écrivent leurs lignes sur l’erreur standard et"
            + " attendent.",
        "login 6":
            "La session est gardée dans le trousseau du bureau s’il y en a un qui répond, sinon dans des"
            + " fichiers non chiffrés que vous seul pouvez lire, ou dans un fichier chiffré avec --store"
            + " encrypted ; un profil garde son emplacement. $LATCHKEY_STORE exige un emplacement au moins"
            + " aussi bon : file, keyring ou encrypted.",
        "answer": "Répond à ce qu’une connexion a laissé en suspens, peut-être dans un autre processus",
        "answer 1":
            "Sans identifiant, montre ce à quoi on peut encore répondre. Sans option, demande au terminal,"
            + " ou attend l’autre appareil. Une adresse, un code ou un mot de passe n’est jamais un argument,"
            + " car tous les utilisateurs de la machine les voient.",
        "token": "Affiche un jeton d’accès valable, renouvelé s’il le faut",
        "token 1":
            "À part « latchkey supabase provider-token », la seule commande qui en affiche un. Pour un programme, préférez « latchkey exec », qui le"
            + " tient à l’écart des scripts et de leurs journaux.",
        "token 2":
            "Avec --id elle affiche le jeton d’identité d’un service OpenID Connect, pour un programme qui le vérifie."
            + " Qui le possède peut montrer que la personne s’est connectée à ce client. Un jeton expiré est remplacé"
            + " par un renouvellement, si le service en donne un avec lui.",
        "token 3":
            "Si le jeton dure moins que --min-validity même renouvelé, l’erreur standard le dit ; avec --strict"
            + " c’est une erreur, et aucun jeton n’est affiché.",
        "exec": "Lance un programme avec un jeton d’accès dans son environnement",
        "exec 1":
            "Le programme prend la place de celui-ci, avec son code de retour ; sans programme c’est un"
            + " interpréteur, $SHELL. Le jeton est dans LATCHKEY_ACCESS_TOKEN, son terme dans"
            + " LATCHKEY_ACCESS_TOKEN_EXPIRES_AT (RFC 3339, UTC), et ses droits, séparés par des espaces, dans"
            + " LATCHKEY_ACCESS_TOKEN_SCOPES, si le service les dit ; LATCHKEY_CLIENT_SECRET est ôté de son"
            + " environnement. Avec 126 le"
            + " programme n’a pas pu être lancé, avec 127 il est introuvable. Il hérite des descripteurs avec"
            + " lesquels ce programme a été lancé, et d’aucun autre.",
        "exec 2":
            "Avec --refresh ce programme reste et renouvelle le jeton avant son terme. Le programme trouve"
            + " le jeton du moment dans un fichier privé, remplacé d’un bloc et supprimé à la fin, dont le"
            + " chemin est dans LATCHKEY_ACCESS_TOKEN_FILE. Il peut aussi écrire un saut de ligne au"
            + " descripteur dont le numéro est dans LATCHKEY_ACCESS_TOKEN_FD, un socket, et y lire le jeton"
            + " sur une ligne. Le jeton dans LATCHKEY_ACCESS_TOKEN est le premier, et expire. Si un serveur"
            + " refuse le jeton avant son terme, lancez « latchkey refresh » : le nouveau se trouve aux mêmes"
            + " endroits. Les signaux"
            + " sont transmis, et le code de retour aussi : 128 et le numéro du signal qui a mis fin au"
            + " programme. Quand ce programme est tué, l’autre reçoit SIGTERM (sous Linux). Si un"
            + " renouvellement demande une connexion, l’erreur standard le dit et le programme continue.",
        "request": "Envoie une requête avec un jeton d’accès, et affiche la réponse",
        "request 1":
            "Le jeton va aux origines que --allow-origin nomme ici ou a nommées à la connexion, d’un projet"
            + " Supabase aussi au projet lui-même, avec sa clé dans le champ apikey ; et nulle part ailleurs"
            + " ; les redirections ne sont pas suivies. Un jeton que la ressource refuse est renouvelé une"
            + " fois, et la requête répétée une fois. Le contenu de la réponse va à la sortie standard, tel"
            + " quel ; à un terminal, sans ce qui le piloterait.",
        "request 2":
            "Finit par 0 pour une réponse sous 400, par 10 pour une redirection, par 6 de 400 à 499, par 4 pour 429 et à partir"
            + " de 500.",
        "status": "Montre qui est connecté, et jusqu’à quand",
        "status 1":
            "N’interroge aucun service. Se termine par 0 si le compte est utilisable, par 3 s’il faut se connecter, par 4 si"
            + " l’accès a expiré et que le service était injoignable, par 5 si c’est verrouillé, par 8 si l’accès a expiré et"
            + " que le service a refusé ce client au dernier renouvellement.",
        "whoami": "Montre qui est connecté",
        "whoami 1":
            "Sans --refresh, ne demande rien au service : montre ce que la connexion et le dernier --refresh ont apporté,"
            + " même hors ligne. Finit par 3 s’il faut se connecter.",
        "accounts": "Montre les comptes d’un profil",
        "switch": "Rend un autre compte courant",
        "refresh": "Renouvelle le jeton d’accès maintenant",
        "logout": "Déconnecte ici, et prévient le service",
        "logout 1":
            "La session a disparu d’ici dans tous les cas. Si le service est injoignable, le prochain login,"
            + " refresh ou logout du profil qui l’atteint le prévient, pendant sept jours ; « latchkey status »"
            + " montre ce qui reste.",
        "logout 2":
            "Avec --others cette session reste, et le service met fin aux autres de la personne : sur d’autres machines,"
            + " dans d’autres programmes, dans des navigateurs. Leurs jetons d’accès valent jusqu’à leur propre fin.",
        "credential": "Donne à git, à kubectl et aux programmes d’AWS de quoi se connecter",
        "credential 1":
            "« git » est un assistant (credential helper) : il lit sur l’entrée standard ce que git demande, et"
            + " répond à « get » par un jeton si l’hôte est une origine permise du profil ou donnée par"
            + " --allow-origin. Pour tout autre hôte il n’écrit rien, et git demande ailleurs. Le serveur dit si le"
            + " jeton part en Bearer ou comme mot de passe. « erase » est pour un jeton que le serveur a refusé : il"
            + " n’est plus jamais donné, et le « get » suivant le renouvelle. « store » ne change rien ici.",
        "credential 2":
            "« kubectl » affiche un objet ExecCredential avec le jeton et son terme, pour la section"
            + " users[].user.exec d’un fichier kubeconfig. Une grappe qui connaît elle-même le service veut le jeton"
            + " d’identité : ajoutez --id. Un programme qui redemande ce qu’il a déjà a été refusé par la grappe, et"
            + " en reçoit un autre ; « latchkey refresh » le remplace dans tous les cas.",
        "credential 3":
            "« aws » prend le rôle --role-arn par le jeton d’identité du profil (AssumeRoleWithWebIdentity) et affiche"
            + " ses clés, pour credential_process dans ~/.aws/config. IAM doit connaître le service comme fournisseur"
            + " OpenID Connect, avec l’identifiant du client pour destinataire. Chaque appel demande à AWS ; un jeton qu’il"
            + " refuse est renouvelé, une fois.",
        "profiles": "Montre, modifie et supprime les profils",
        "profiles 1":
            "Un profil dit avec quoi on se connecte : service et client, ou projet et clé ; droits. « latchkey"
            + " login » le crée.",
        "profiles 2":
            "« list » les montre tous, « show » tout d’un seul, « use » en fait celui par défaut. « edit » change"
            + " ce que disent les options : droits et destinataires comptent à la prochaine connexion, le reste"
            + " aussitôt. « remove » en supprime un avec lequel personne n’est connecté ; avec --force il met"
            + " d’abord fin aux sessions, et dit ce qui est perdu.",
        "events": "Montre ce qui arrive aux comptes d’un profil, dans ce processus ou dans d’autres",
        "events 1":
            "Commence par l’état de chaque compte. Avec --follow montre ensuite chaque événement quand il"
            + " arrive : quelqu’un se connecte ou se déconnecte, un jeton est renouvelé, un autre compte"
            + " devient courant. Ne demande rien au service et ne renouvelle rien. Avec --json chaque"
            + " événement est un objet sur sa propre ligne.",
        "log": "Montre, vérifie, affiche ou efface le journal de sécurité d’un profil",
        "log 1":
            "Le journal dit qui s’est connecté ou déconnecté, quand, avec quelle issue et pourquoi ; personnes et"
            + " appareils y sont hachés. « show » le montre, « verify » vérifie qu’aucune ligne n’a été modifiée,"
            + " retirée ou ajoutée, « export » affiche le fichier, un objet JSON par ligne.",
        "log 2":
            "« erase » avec --account ôte les lignes d’un compte ; une ligne à leur place dit combien. Sans, tout"
            + " disparaît, et les hachés seront autres ensuite. Les lignes de plus de 90 jours disparaissent d’elles-mêmes.",
        "clerk": "Montre la personne d’une connexion Clerk, ses sessions et ses organisations",
        "clerk 1": "« me » montre qui c’est, d’après le service à l’instant.",
        "clerk 2":
            "« sessions » montre les sessions de la personne sur tous les appareils ; « sessions end ID » en termine"
            + " une autre.",
        "clerk 3":
            "« organizations » montre celles où est la personne ; « organizations select ID » en fait celle de la"
            + " session, « organizations select personal » aucune. Un jeton pour l’une d’elles seulement : latchkey"
            + " token --audience organization:ID.",
        "store": "Crée, examine, déplace et répare l’emplacement de la session d’un profil",
        "store 1":
            "« init » crée un fichier chiffré, « status » montre ce qui l’ouvre et ce que coûte une phrase"
            + " de passe, « verify » lit tout ce qu’il contient. « add-slot » ajoute une façon de l’ouvrir :"
            + " une autre phrase de passe, ou ce que disent les options ; « remove-slot N » en retire une ; «"
            + " rekey » change la phrase de passe, et avec --new-key aussi la clé qui est derrière.",
        "store 2":
            "« migrate --to EMPLACEMENT » copie chaque enregistrement, relit les copies, et alors seulement"
            + " supprime les anciens ; relancé, il continue là où il a été arrêté.",
        "store 3":
            "« wipe » détruit tout ce qui est ici du profil : d’un fichier chiffré, d’abord ce qui l’ouvre."
            + " Aucun service n’est prévenu ; « latchkey logout » le fait. « repair » rend le fichier de"
            + " nouveau privé, et fait ce que disent ses options.",
        "unlock": "Ouvre les sessions chiffrées pour un temps, par un agent",
        "unlock 1":
            "Demande la phrase de passe une fois. Un agent de cet utilisateur garde la clé, en mémoire"
            + " seulement, et ouvre et scelle pour les autres commandes ; il ne donne la clé à personne, et"
            + " s’arrête quand le temps est écoulé, ou par « latchkey lock ».",
        "unlock 2":
            "Avec --serve-tokens, l’agent donne aussi des jetons d’accès du profil à « latchkey token », « exec » et"
            + " « credential » de cet utilisateur, et les renouvelle. Il lit la session à chaque fois : il n’en donne aucun"
            + " après une déconnexion. « latchkey agent serve --serve-tokens » fait de même pour un profil dont la session"
            + " n’est pas chiffrée.",
        "unlock 3":
            "Avec --confirm, l’agent vous interroge avant de donner un jeton à un programme ou d’ouvrir un fichier pour"
            + " lui, sauf si ce programme a donné la phrase de passe lui-même. Il le fait une fois pour chaque processus"
            + " et pour chacun des deux, et un non vaut pour les deux. La question est montrée par le programme que nomme"
            + " LATCHKEY_ASKPASS ou sinon SSH_ASKPASS, comme le fait ssh-agent ; 30 secondes sans réponse sont un non."
            + " Un agent qui interroge le fait jusqu’à sa fin.",
        "lock": "Arrête l’agent, qui oublie toutes les clés",
        "agent": "Montre ou arrête l’agent que « latchkey unlock » lance",
        "doctor": "Cherche ce qui ne va pas, et dit qu’y faire",
        "doctor 1":
            "Regarde les fichiers du profil, qui tient leurs verrous, qui est connecté, et le service : son"
            + " document de découverte, TLS et l’heure. Chaque ligne est un verdict, ok, warn ou fail. Ne"
            + " répare rien, et n’affiche aucun secret.",
        "doctor 2":
            "Montre l’empreinte de chaque hôte du service joint par TLS : le condensé SHA-256 de la clé publique de"
            + " son certificat, en base64, comme la nomment les empreintes d’une application. Comparez-la à ce que dit"
            + " le service avant de l’épingler.",
        "doctor 3":
            "Finit par 0 quand rien n’a échoué, sinon par le code du premier échec : 7 pour les fichiers, 4"
            + " pour un service injoignable, 8 pour la configuration, 9 pour ce qui n’est pas digne de"
            + " confiance.",
        "dev-server": "Fait tourner un service d’identité de développement sur cette machine",
        "dev-server 1":
            "Tourne jusqu’à Ctrl-C ou SIGTERM. Tout est en mémoire et disparaît alors. Pour le"
            + " développement seulement : les mots de passe de ses utilisateurs sont affichés exprès, et il"
            + " ne répond qu’à cette machine.",
        "dev-server 2":
            "--gotrue règle ce qu’un projet a de configurable. on ou off : \(DevServerWords.list(DevServerWords.switches)). Une durée :"
            + " \(DevServerWords.list(DevServerWords.durations)). Un nombre jusqu’à 1000 : \(DevServerWords.list(DevServerWords.numbers)). Et"
            + " tokens=v1 ou v2, signing=ES256 ou HS256, secret=TEXTE pour HS256, captcha=TEXTE pour la seule réponse"
            + " acceptée, providers=NOM,NOM ou none, address-field=NOM pour l’en-tête par lequel les requêtes d’une même"
            + " adresse sont limitées.",
        "dev-server 3":
            "--clerk-setting règle ce qu’une instance Clerk a dans son tableau de bord :"
            + " \(DevServerWords.list(DevServerWords.clerk)). Avec allow-list, seules les visites venues d’une adresse de --redirect"
            + " reçoivent le nonce.",
        "dev-server 4":
            "Les courriels et SMS qu’il envoie sont à /inbox, et en JSON à /inbox.json ; ?to=ADRESSE pour un seul"
            + " destinataire.",
        "completions": "Affiche le script de complétion d’un shell",
        "completions 1":
            "Pour bash, dans ~/.bashrc : source <(latchkey completions bash). Pour zsh, dans ~/.zshrc après"
            + " compinit : source <(latchkey completions zsh). Pour fish : latchkey completions fish >"
            + " ~/.config/fish/completions/latchkey.fish",
        "help": "Montre les commandes, ou les options d’une commande",
    ]
}

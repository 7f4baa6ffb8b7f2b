extension HelpWords {
    /// Options and operands.
    static let frenchOptions: [String: String] = [
        "--accept-older": "repair : tient un fichier remis en place pour le plus récent",
        "--account": "Utilise ce compte au lieu du compte courant ; un identifiant, ou le nom affiché",
        "log --account":
            "show, erase : seulement les lignes de ce compte ; un identifiant, ou le nom affiché",
        "log --yes": "erase : le fait sans demander",
        "log ACTION": "Que faire ; show par défaut",
        "login --account":
            "Qui se connecte : pour Supabase une adresse ou un numéro ; un autre service le reçoit comme indication, et toute"
            + " autre personne est refusée",
        "--acr":
            "La force de la preuve (acr) que le service doit demander, dans ses propres mots ; une plus faible est refusée",
        "--hint":
            "Le nom que le service propose pour se connecter ; à la différence de --account, chacun peut se connecter",
        "--locale": "La langue des pages du service, telle que fr-CA, la préférée en premier",
        "--max-age":
            "Il y a combien de temps au plus la personne a prouvé qui elle est ; sinon le service redemande",
        "--param":
            "Ajoute ceci aux demandes d’autorisation, de code d’appareil et de jeton, pour ce qu’un seul service connaît, tel que audience=URI",
        "--prompt":
            "Ce que le service demande dans le navigateur : login redemande le mot de passe, select_account le compte",
        "--allow-origin": "Laisse le jeton aller à cette origine, telle que https://api.example.com",
        "--ask-client-secret": "Demande le secret du client, chaque fois qu’il le faut",
        "--audience": "Demande un jeton pour ce destinataire ou cette ressource",
        "login --audience": "Rend possibles plus tard des jetons pour ce destinataire ou cette ressource",
        "profiles --audience":
            "edit : rend possibles des jetons pour ce destinataire, à partir de la prochaine connexion",
        "--auto-approve": "Connecte le premier utilisateur sans demander",
        "--body": "Envoie le contenu de ce fichier ; - est l’entrée standard, jusqu’à 16 Mio",
        "--choose": "Choisit parmi plusieurs, par identifiant",
        "--clerk-setting": "Règle ainsi l’instance Clerk, par exemple single-session ou setup-mfa",
        "--clerk": "L’instance Clerk, par sa clé publiable, telle que pk_live_…",
        "--proxy-url": "Clerk : où l’API Frontend est jointe, au lieu de sa propre adresse",
        "--client-id": "Le client qui y est enregistré",
        "--client-secret-env":
            "Prend le secret du client dans $LATCHKEY_CLIENT_SECRET, pour ce service et ce client seulement",
        "--client-secret-file": "Prend le secret du client à la première ligne de ce fichier privé",
        "--authorization-endpoint":
            "La page que le navigateur ouvre, si aucun document du service ne la dit",
        "--token-endpoint":
            "D’où viennent les jetons ; sans --issuer, le service est connu par cette adresse et n’a pas de jetons d’identité",
        "--device-endpoint":
            "Où commence une connexion avec --device (le « device authorization endpoint »)",
        "--revocation-endpoint": "Où les jetons sont révoqués",
        "--userinfo-endpoint": "Où sont les attributs de la personne",
        "--no-scope":
            "Ne demande aucun droit au lieu d’openid, profile, email et offline_access : ceux du service par défaut",
        "--client-secret-raw":
            "Envoie l’identifiant et le secret du client par HTTP Basic tels quels, pour les services qui ne les décodent pas"
            + " (RFC 6749, section 2.3.1)",
        "--client-secret-in-body":
            "Envoie le secret du client dans le corps, pour les services qui refusent HTTP Basic",
        "--code-from-stdin": "Lit un code à l’entrée standard",
        "--code": "Supabase, Clerk : connecte par un code envoyé par courrier ou par message",
        "--fields-from-stdin":
            "Lit les champs d’un formulaire à l’entrée standard, NOM=VALEUR, un par ligne",
        "--decline": "Dit non, et oublie la question",
        "--detach":
            "Affiche ce que le service attend et s’arrête ; « latchkey answer » continue, dans n’importe"
            + " quel processus",
        "--device": "Affiche un code à saisir sur un autre appareil, et attend",
        "--env": "Met le jeton dans cette variable au lieu de LATCHKEY_ACCESS_TOKEN",
        "--others": "Met fin aux autres sessions de la personne et garde celle-ci, si le service le peut",
        "--everywhere": "Met fin aussi aux autres sessions de la personne, si le service le peut",
        "--expose-address":
            "Lance le navigateur avec l’adresse même du service, que d’autres utilisateurs de la machine"
            + " peuvent lire pour se mêler de la connexion ; pour les navigateurs qui viennent par le port"
            + " redirigé d’un conteneur",
        "--follow": "Continue jusqu’à Ctrl-C, une ligne par événement",
        "--for": "Combien de temps l’agent garde la clé ; 15m par défaut",
        "--header": "Ajoute un champ d’en-tête, tel que 'Accept: text/plain'",
        "--help": "Affiche cette aide",
        "--in-keyring": "add-slot : une clé dans le trousseau du bureau ; ouvre sans demander",
        "--id": "Affiche plutôt le jeton d’identité, qui dit qui s’est connecté",
        "--issuer": "L’adresse (issuer) du service d’identité, comme il l’écrit lui-même",
        "--json": "Affiche du JSON au lieu de texte ; les erreurs aussi",
        "--key-file": "add-slot : un fichier privé avec une clé, créé s’il manque ; ouvre sans demander",
        "--key": "La clé publiable (ou l’ancienne clé anon) du projet ; jamais une clé secrète",
        "--link": "Supabase, Clerk : connecte par un lien envoyé par courrier, à ouvrir sur cette machine",
        "--role-arn": "aws : le rôle à prendre ; sa politique d’approbation nomme le service",
        "--session-name": "aws : comment les journaux d’AWS nomment la session ; latchkey par défaut",
        "--duration": "aws : combien de temps le rôle est pris, de 15m à 12h ; 1h par défaut",
        "--region": "aws : de quelle région STS est demandé ; $AWS_REGION ou le STS global par défaut",
        "--endpoint":
            "aws : demande au STS de cette adresse ; $AWS_ENDPOINT_URL_STS ou $AWS_ENDPOINT_URL par défaut",
        "--access-token": "aws : présente le jeton d’accès au lieu du jeton d’identité",
        "--min-validity": "Renouvelle un jeton qui durerait moins que cela",
        "--man": "Affiche la page de manuel, que man -l - montre",
        "--now": "Demande même si le service veut qu’on attende un moment (Retry-After)",
        "--names": "N’affiche que les noms, un par ligne",
        "--name": "enroll : comment s’appelle le facteur",
        "--new-key":
            "rekey : une nouvelle clé pour le fichier lui-même, après une fuite ; les autres emplacements"
            + " de clé sont à abandonner",
        "--no-browser": "Affiche l’adresse au lieu d’ouvrir un navigateur",
        "--offline": "N’interroge aucun service",
        "--passphrase-from-stdin":
            "Lit les phrases de passe à l’entrée standard, une par ligne, au lieu de les demander",
        "--password-from-stdin": "Lit le mot de passe à l’entrée standard",
        "--password": "Supabase, Clerk : connecte par un mot de passe ; c’est le cas si rien d’autre n’est dit",
        "--phone": "enroll : un téléphone au lieu d’une application d’authentification",
        "--redirect-uri":
            "L’adresse de redirection telle que le service la connaît, comme http://localhost ou"
            + " http://127.0.0.1:8400/cb, au lieu de http://127.0.0.1/callback ; sans port, n’importe lequel de libre."
            + " Un navigateur à qui https://localhost a un jour imposé https (HSTS) n’atteint pas http://localhost",
        "--port": "Le port de l’adresse de redirection, si le service en veut un fixe",
        "dev-server --port": "Écoute sur ce port de 127.0.0.1 au lieu de n’importe lequel de libre",
        "--profile": "Utilise ce profil au lieu de $LATCHKEY_PROFILE ou du dernier avec lequel on s’est connecté",
        "--provider":
            "Supabase, Clerk : connecte dans un navigateur auprès de ce fournisseur d’identité, tel que github",
        "--recovery-code": "init, add-slot : affiche aussi un code de récupération, une seule fois",
        "--redirect-from-stdin": "Lit à l’entrée standard l’adresse entière à laquelle le navigateur est arrivé",
        "--redirect": "Laisse codes et liens mener aussi à cette adresse, telle que http://localhost:8765",
        "whoami --refresh": "Demande au service qui c’est à présent, et garde la réponse avec la session",
        "--refresh": "Reste le parent et tient un jeton valable dans le fichier que LATCHKEY_ACCESS_TOKEN_FILE nomme",
        "--accept-directory":
            "Garde la session dans ce dossier, auquel d’autres ont accès, parce que ses modes ne peuvent être fermés",
        "--ca-file": "Se fie aux autorités de ce fichier PEM au lieu de celles du système",
        "--clear": "edit : oublie ce que le profil en a",
        "--client-credentials":
            "Connecte le client lui-même avec son secret, sans personne (RFC 6749, section 4.4)",
        "--force":
            "remove : déconnecte d’abord tout le monde, et supprime le reste même si le service ne peut être prévenu",
        "--trust-audience": "Accepte des jetons d’identité qui nomment cette audience à côté du client",
        "--trust-issuer":
            "Supabase : reprend des sessions dont les jetons nomment exactement cet émetteur, en plus de celui du projet, comme"
            + " celui d’un domaine à vous",
        "--revocation-reach":
            "Ce à quoi une révocation met fin : une connexion (sign-in), toutes celles du même navigateur (session), ou toutes celles"
            + " de la personne auprès de ce client (client), comme chez Keycloak avant 26.0.8. Une session qu’une nouvelle connexion"
            + " remplace n’est révoquée que si cela ne peut pas mettre fin à la nouvelle",
        "--consent":
            "Demande le consentement avec offline_access ; sinon, là où le service peut en avoir besoin",
        "--reuse-interval":
            "Dit combien de temps le service répète sa réponse à un jeton de renouvellement déjà employé, par exemple 5s :"
            + " celui dont la réponse s’est perdue est renvoyé avant la moitié de ce temps",
        "--product": "Nomme ce produit avant latchkey dans le User-Agent de chaque requête",
        "--proxy": "Joint le service par ce mandataire HTTP au lieu de https_proxy de l’environnement",
        "--remove": "La même chose que « remove NAME »",
        "--username": "git : le nom qui va avec le jeton ; x-access-token par défaut",
        "--verbose":
            "Montre sur l’erreur standard chaque requête et chaque réponse, sans valeur qui puisse être secrète",
        "--with-token":
            "Reprend une session de l’entrée standard : un jeton de renouvellement, ou pour Supabase le JSON qu’un"
            + " autre client a gardé",
        "FORMAT": "Qui lit la réponse",
        "NAME": "Quel profil",
        "REQUEST": "git : get, store ou erase, comme git l’ajoute",
        "profiles ACTION": "Que faire ; list par défaut",
        "--resend": "Demande un autre code ou lien",
        "--scope":
            "Demande ce droit (scope), en plus de ceux du profil, et au lieu d’openid, profile, email et offline_access ;"
            + " aucun de ceux-ci n’y est ajouté",
        "--confirm":
            "L’agent vous interroge, par le programme de LATCHKEY_ASKPASS ou SSH_ASKPASS, avant de servir un programme",
        "--serve-tokens":
            "Laisse l’agent donner des jetons d’accès du profil aux autres commandes de cet utilisateur",
        "--set-aside": "repair : met de côté un fichier illisible",
        "--strict": "Échoue si le jeton dure moins que --min-validity malgré tout",
        "--users":
            "A ces personnes au lieu d’ada et grace : une liste JSON d’objets avec name, password et au besoin"
            + " displayName",
        "--log":
            "Montre sur l’erreur standard chaque requête : point d’accès, type, ce qu’il en est ; ni jeton, ni code, ni"
            + " mot de passe",
        "--gotrue":
            "Configure le projet Supabase, par exemple autoconfirm=on ou reuse-interval=0s",
        "--fault":
            "Fait échouer des requêtes : SORTE@POINT, puis ,count=N ,status=N ,seconds=N ou ,milliseconds=N selon la"
            + " sorte",
        "--forgot":
            "Supabase, Clerk : pour un mot de passe perdu ; envoie un code, le demande avec un nouveau mot de passe, et"
            + " connecte",
        "--guest":
            "Supabase : connecte sans adresse, comme un nouvel invité, dont le compte peut devenir permanent plus tard",
        "--sign-up":
            "Supabase, Clerk : crée le compte, avec --password, --code ou --link, et chez Clerk aussi avec --provider",
        "--store":
            "Où est gardée la session : encrypted, keyring ou file ; le trousseau s’il y en a un qui"
            + " répond, sinon des fichiers",
        "--supabase": "Le projet Supabase, tel que https://abc.supabase.co",
        "request --timeout": "Abandonne après ce temps ; 30s par défaut",
        "--timeout":
            "Attend chaque réponse du service ce temps, de 1s à 10m, au lieu de 10s ; ce qui consomme un code ou un jeton est"
            + " attendu au moins 60s",
        "--token-lifetime": "Combien durent les jetons d’accès, en secondes entières ; 5m par défaut",
        "--to": "migrate : où va la session",
        "--yes": "wipe : le fait sans demander",
        "ACCOUNT": "Un identifiant, ou le nom que montre « latchkey accounts »",
        "store ACTION": "Que faire",
        "clerk ACTION": "Qu’en faire ; list par défaut",
        "clerk ID": "Quelle session ou organisation",
        "agent ACTION": "status, stop, ou serve : être l’agent, au premier plan",
        "COMMAND": "La commande à expliquer",
        "answer ID": "L’identifiant de la question, tel que login --detach l’a donné",
        "METHOD": "GET, HEAD, POST, PUT, PATCH, DELETE ou OPTIONS ; GET par défaut",
        "PROGRAM": "Le programme et ses arguments, tels quels ; un interpréteur si rien n’est donné",
        "SHELL": "bash, zsh ou fish",
        "SLOT": "remove-slot : son numéro, comme le dit status",
        "URL": "Vers où",
        "WHAT": "Que montrer ou changer",
    ]
}

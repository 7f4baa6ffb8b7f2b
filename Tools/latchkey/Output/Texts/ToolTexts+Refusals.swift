import Latchkey

extension ToolTexts {
    /// Questions, requests and programs that are refused.
    static let refusals: [String: [TextLanguage: String]] = [
        "error.notClerk": [
            .english: "The profile {profile} is not of a Clerk instance",
            .french: "Le profil {profile} n’est pas d’une instance Clerk",
        ],
        "error.notBearer": [
            .english: "The access token is not a bearer token, so git cannot send it",
            .french: "Le jeton d’accès n’est pas un jeton Bearer ; git ne peut pas l’envoyer",
        ],
        "error.noIDToken": [
            .english: "The service of the profile {profile} gives no ID tokens; its access tokens say who signed in",
            .french:
                "Le service du profil {profile} ne donne pas de jetons d’identité ; ses jetons d’accès disent qui s’est"
                + " connecté",
        ],
        "error.role": [
            .english: "{host} does not give the role, {code}{message}",
            .french: "{host} ne donne pas le rôle, {code}{message}",
        ],
        "error.roleAnswer": [
            .english: "What {host} answers is not what AWS STS would answer",
            .french: "La réponse de {host} n’est pas de celles d’AWS STS",
        ],
        "error.roleTrouble": [
            .english: "{host} has trouble of its own (status {status})",
            .french: "{host} a lui-même des ennuis (statut {status})",
        ],
        "error.notSupabase": [
            .english: "The profile {profile} is not of a Supabase project",
            .french: "Le profil {profile} n’est pas d’un projet Supabase",
        ],
        "error.noFactor": [.english: "The person has no such factor", .french: "La personne n’a pas un tel facteur"],
        "error.factorType": [
            .english: "A terminal cannot prove a factor of the type {type}",
            .french: "Un terminal ne peut pas prouver un facteur du type {type}",
        ],
        "error.codeDeclined": [.english: "The code was not entered", .french: "Le code n’a pas été saisi"],
        "error.passwordDeclined": [
            .english: "The password was not entered", .french: "Le mot de passe n’a pas été saisi",
        ],
        "error.identifierDeclined": [
            .english: "The mail address or telephone number was not entered",
            .french: "L’adresse ou le numéro de téléphone n’a pas été saisi",
        ],
        "error.clientSecretDeclined": [
            .english: "The client secret was not entered", .french: "Le secret du client n’a pas été saisi",
        ],
        "error.noOthers": [
            .english:
                "The service of the profile {profile} cannot end the person's other sessions; nothing was changed",
            .french:
                "Le service du profil {profile} ne peut pas terminer les autres sessions de la personne ; rien n’a changé",
        ],
        "error.captcha": [
            .english: "The service wants a captcha, which a terminal cannot show",
            .french: "Le service demande un captcha, qu’un terminal ne peut pas montrer",
        ],
        "error.pasted": [.english: "{problem}", .french: "{problem}"],
        "error.challenge": [
            .english: "The challenge is unknown, answered already, or too old",
            .french: "La question est inconnue, déjà répondue, ou trop ancienne",
        ],
        "error.devServer": [
            .english: "The server cannot start: {problem}", .french: "Le serveur ne peut pas démarrer : {problem}",
        ],
        "error.devServerMissing": [
            .english: "The development server is a program of its own, and is not there: {program}",
            .french: "Le serveur de développement est un programme à part, et n’est pas là : {program}",
        ],
        "error.addressMalformed": [.english: "The address is malformed", .french: "L’adresse est mal formée"],
        "error.originRefused": [
            .english: "The token may not go to {origin}; nothing was sent",
            .french: "Le jeton ne doit pas aller à {origin} ; rien n’a été envoyé",
        ],
        "error.requestMalformed": [
            .english: "The request is malformed, and was not sent",
            .french: "La requête est mal formée, et n’a pas été envoyée",
        ],
        "error.answerLarge": [
            .english: "The answer of {host} is larger than 64 MiB", .french: "La réponse de {host} dépasse 64 Mio",
        ],
        "error.tokenPlace": [
            .english: "The token cannot be kept safe there: {problem}",
            .french: "Le jeton ne peut pas y être gardé en sûreté : {problem}",
        ],
        "error.tokenFile": [
            .english: "The token cannot be kept in a private file below {place}",
            .french: "Le jeton ne peut pas être gardé dans un fichier privé sous {place}",
        ],
        "error.environment": [
            .english: "The environment does not take the token", .french: "L’environnement n’accepte pas le jeton",
        ],
        "error.tokenForm": [
            .english: "The service's token has characters that no token has, and is given to no program",
            .french: "Le jeton du service a des caractères qu’aucun jeton n’a, et n’est donné à aucun programme",
        ],
        "error.noProc": [
            .english: "/proc is not mounted here, and the runtime of this program needs it",
            .french: "/proc n’est pas monté ici, et le moteur d’exécution de ce programme en a besoin",
        ],
        "error.fewDescriptors": [
            .english: "Only {free} files can be opened at once, and {needed} are needed",
            .french: "Seuls {free} fichiers peuvent être ouverts à la fois, et il en faut {needed}",
        ],
        "error.programMissing": [
            .english: "The program \"{program}\" was not found",
            .french: "Le programme « {program} » est introuvable",
        ],
        "error.programRefused": [
            .english: "The program \"{program}\" cannot be run: {problem}",
            .french: "Le programme « {program} » ne peut pas être lancé : {problem}",
        ],
        "error.tokenSocket": [
            .english: "The program cannot be given new tokens: {problem}",
            .french: "Le programme ne peut pas recevoir de nouveaux jetons : {problem}",
        ],
        "error.tokenLarge": [
            .english:
                "The token has {size} bytes, and a variable such as {variable} takes at most {limit} with its name",
            .french:
                "Le jeton a {size} octets, et une variable telle que {variable} en prend {limit} au plus avec son nom",
        ],
        "error.tokenEndless": [
            .english: "The service does not say how long its tokens last, so this one may last less than {asked}",
            .french: "Le service ne dit pas combien durent ses jetons ; celui-ci peut durer moins que {asked}",
        ],
        "error.tokenShort": [
            .english: "The token lasts {rest}, less than {asked}, and there is no newer one now",
            .french: "Le jeton dure {rest}, moins que {asked}, et il n’y en a pas de plus récent",
        ],
        "error.tokensShort": [
            .english: "The token lasts {rest}, less than {asked}: this service's tokens last {whole}",
            .french: "Le jeton dure {rest}, moins que {asked} : les jetons de ce service durent {whole}",
        ],
        "error.tokenStale": [
            .english: "A new access token cannot be written; the file keeps the one before",
            .french: "Un nouveau jeton d’accès ne peut pas être écrit ; le fichier garde le précédent",
        ],
        "error.signInMeanwhile": [
            .english: "A sign-in is required; the program goes on with the token it has",
            .french: "Il faut se reconnecter ; le programme continue avec le jeton qu’il a",
        ],
        "error.output": [.english: "The output cannot be written", .french: "La sortie ne peut pas être écrite"],
        "error.unforeseen": [
            .english: "An unforeseen error of type {type} occurred",
            .french: "Une erreur imprévue du type {type} s’est produite",
        ],
    ]
}

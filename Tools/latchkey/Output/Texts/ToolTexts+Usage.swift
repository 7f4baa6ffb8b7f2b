import Latchkey

extension ToolTexts {
    /// Mistakes in a command line.
    static let usage: [String: [TextLanguage: String]] = [
        "usage.optionBefore": [
            .english: "The option {option} is not known before a command",
            .french: "L’option {option} n’est pas connue avant une commande",
        ],
        "usage.noSuchCommand": [
            .english: "There is no command \"{word}\"", .french: "Il n’y a pas de commande « {word} »",
        ],
        "usage.noSuchOption": [.english: "There is no option {word}", .french: "Il n’y a pas d’option {word}"],
        "usage.noSuchAction": [.english: "There is no {what} {action}", .french: "Il n’y a pas de {what} {action}"],
        "usage.secretOption": [
            .english:
                "There is no option {word}; a secret in an argument would be visible to every user of the machine",
            .french:
                "Il n’y a pas d’option {word} ; un secret dans un argument serait visible de tous les utilisateurs de la machine",
        ],
        "usage.twice": [
            .english: "The option {option} is given twice", .french: "L’option {option} est donnée deux fois",
        ],
        "usage.takesNoValue": [
            .english: "The option {option} takes no value", .french: "L’option {option} ne prend pas de valeur",
        ],
        "usage.needsValue": [
            .english: "The option {option} needs a value, {placeholder}",
            .french: "L’option {option} demande une valeur, {placeholder}",
        ],
        "usage.value": [.english: "The value of {option} {complaint}", .french: "La valeur de {option} {complaint}"],
        "usage.operand": [.english: "The operand {operand} {complaint}", .french: "L’opérande {operand} {complaint}"],
        "usage.operandMissing": [.english: "The operand {operand} is missing", .french: "L’opérande {operand} manque"],
        "usage.tooMany": [
            .english: "There are more operands than {command} takes",
            .french: "Il y a plus d’opérandes que {command} n’en prend",
        ],
        "usage.discoveryAddress": [
            .english: "The address of --issuer is the one of the service's document; the issuer is the part before it",
            .french: "L’adresse de --issuer est celle du document du service ; l’émetteur est la partie qui précède",
        ],
        "usage.parameter": [
            .english: "The value of --param is not NAME=VALUE", .french: "La valeur de --param n’est pas NOM=VALEUR",
        ],
        "usage.parameterOption": [
            .english: "--param does not set {name}: use {option}",
            .french: "--param ne fixe pas {name} : utilisez {option}",
        ],
        "usage.parameterOwn": [
            .english: "--param cannot set \"{name}\": the protocol itself sets it, or it is no name",
            .french: "--param ne peut pas fixer « {name} » : le protocole le fixe lui-même, ou ce n’est pas un nom",
        ],
        "usage.browserOnly": [
            .english: "The option {option} is for a sign-in in a browser at an OAuth service",
            .french: "L’option {option} est pour une connexion dans un navigateur, à un service OAuth",
        ],
        "usage.onlyOne": [
            .english: "Only one of {first} and {second} can be", .french: "{first} et {second} s’excluent",
        ],
        "usage.answerID": [
            .english: "{option} answers one challenge, and no id says which",
            .french: "{option} répond à une question, et aucun identifiant ne dit laquelle",
        ],
        "usage.goesWith": [.english: "{option} goes with {others}", .french: "{option} ne va qu’avec {others}"],
        "usage.roleARN": [
            .english: "The value of --role-arn must be a role's name such as arn:aws:iam::123456789012:role/me",
            .french: "La valeur de --role-arn doit être le nom d’un rôle, tel que arn:aws:iam::123456789012:role/moi",
        ],
        "usage.sessionName": [
            .english: "The value of --session-name must be 2 to 64 letters, digits or characters of _+=,.@-",
            .french: "La valeur de --session-name doit être de 2 à 64 lettres, chiffres ou caractères parmi _+=,.@-",
        ],
        "usage.roleDuration": [
            .english: "The value of --duration must be 15m to 12h",
            .french: "La valeur de --duration doit être de 15m à 12h",
        ],
        "usage.region": [
            .english: "The region must be a name such as eu-west-1",
            .french: "La région doit être un nom tel que eu-west-1",
        ],
        "usage.endpoint": [
            .english: "The value of {name} must be an https address; http is for this machine alone",
            .french: "La valeur de {name} doit être une adresse https ; http n’est permis que sur cette machine",
        ],
        "usage.absolute": [
            .english: "The value of {option} must be an absolute path",
            .french: "La valeur de {option} doit être un chemin absolu",
        ],
        "usage.lineTooLong": [
            .english: "A line of the input is too long", .french: "Une ligne de l’entrée est trop longue",
        ],
        "usage.lifetime": [
            .english: "The value of --token-lifetime is not one second or more, in whole seconds",
            .french: "La valeur de --token-lifetime n’est pas d’une seconde ou plus, en secondes entières",
        ],
        "usage.header": [
            .english: "A value of --header is not of the form 'Name: value'",
            .french: "Une valeur de --header n’a pas la forme « Name: value »",
        ],
        "usage.authorization": [
            .english: "The Authorization header is latchkey's to send",
            .french: "C’est latchkey qui envoie l’en-tête Authorization",
        ],
        "usage.reserved": [
            .english: "--header: the field {name} would decide where the token goes",
            .french: "--header : le champ {name} déciderait où va le jeton",
        ],
        "usage.body": [
            .english: "The file of --body cannot be read, or is larger than 16 MiB",
            .french: "Le fichier de --body est illisible, ou dépasse 16 Mio",
        ],
        "usage.origin": [
            .english: "A value of --allow-origin is not an origin such as https://api.example.com",
            .french: "Une valeur de --allow-origin n’est pas une origine telle que https://api.example.com",
        ],
        "usage.redirect": [
            .english: "--redirect-uri is not an address of this machine, such as http://localhost or"
                + " http://127.0.0.1:8400/cb",
            .french: "--redirect-uri n’est pas une adresse de cette machine, comme http://localhost ou"
                + " http://127.0.0.1:8400/cb",
        ],
        "usage.proxy": [
            .english: "The value of --proxy is not a proxy's address such as http://proxy.example.com:3128",
            .french: "La valeur de --proxy n’est pas une adresse telle que http://proxy.example.com:3128",
        ],
        "usage.acceptDirectory": [
            .english:
                "The value of --accept-directory is not the path of one directory that is there, other than the root",
            .french:
                "La valeur de --accept-directory n’est pas le chemin d’un dossier existant autre que la racine",
        ],
        "usage.product": [
            .english: "The value of --product is not a name and a version such as Notes/1.2",
            .french: "La valeur de --product n’est pas un nom et une version tels que Notes/1.2",
        ],
        "usage.proxyPassword": [
            .english:
                "The value of --proxy must not hold a password, which others could read; set https_proxy=http://NAME:PASSWORD@HOST:PORT",
            .french:
                "La valeur de --proxy ne doit pas contenir de mot de passe, que d’autres pourraient lire ; donnez https_proxy=http://NOM:MOT-DE-PASSE@HÔTE:PORT",
        ],
        "usage.addressMalformed": [
            .english: "The value of {option} is not an address such as https://id.example.com",
            .french: "La valeur de {option} n’est pas une adresse telle que https://id.example.com",
        ],
        "usage.scheme": [
            .english: "The value of {option} begins with {scheme}://; it must begin with https://",
            .french: "La valeur de {option} commence par {scheme}:// ; elle doit commencer par https://",
        ],
        "usage.plainHTTP": [
            .english:
                "With {option} {origin} nothing would be encrypted; only this machine may be reached by plain http",
            .french: "Avec {option} {origin} rien ne serait chiffré ; seule cette machine peut être jointe par http",
        ],
        "usage.nothingToEdit": [
            .english: "No option says what to change", .french: "Aucune option ne dit quoi modifier",
        ],
        "usage.serviceSecret": [
            .english: "A client that signs itself in needs its secret",
            .french: "Un client qui se connecte lui-même a besoin de son secret",
        ],
        "usage.tokenTyped": [
            .english: "A token that is typed would be on the screen", .french: "Un jeton saisi serait à l’écran",
        ],
        "usage.gitRequest": [
            .english: "Standard input is not what git writes to a credential helper",
            .french: "L’entrée standard n’est pas ce que git écrit à un assistant",
        ],
        "usage.usersFile": [
            .english: "The file of --users cannot be read, or is larger than 1 MiB",
            .french: "Le fichier de --users est illisible, ou dépasse 1 Mio",
        ],
        "usage.users": [
            .english: "The file of --users is not a list of people: {problem}",
            .french: "Le fichier de --users n’est pas une liste de personnes : {problem}",
        ],
        "usage.faultKind": [
            .english: "A value of --fault does not begin with a kind and @: one of {words}",
            .french: "Une valeur de --fault ne commence pas par une sorte et @ : une parmi {words}",
        ],
        "usage.faultEndpoint": [
            .english: "A value of --fault names no endpoint after @: one of {words}",
            .french: "Une valeur de --fault ne nomme pas de point d’accès après @ : un parmi {words}",
        ],
        "usage.faultNumber": [
            .english: "A value of --fault goes on with something else than NAME=NUMBER, of which there are {words}",
            .french: "Une valeur de --fault continue autrement que par NOM=NOMBRE, parmi {words}",
        ],
        "usage.faultRange": [
            .english: "A number in --fault is out of range, or there are more than 1000 faults",
            .french: "Un nombre de --fault est hors limites, ou il y a plus de 1000 fautes",
        ],
        "usage.gotrueName": [
            .english: "A value of --gotrue does not begin with a name and =: one of {words}",
            .french: "Une valeur de --gotrue ne commence pas par un nom et = : un parmi {words}",
        ],
        "usage.gotrueWords": [
            .english: "{name} in --gotrue takes one of {words}",
            .french: "{name} dans --gotrue prend un mot parmi {words}",
        ],
        "usage.gotrueDuration": [
            .english: "{name} in --gotrue takes a duration such as 10s",
            .french: "{name} dans --gotrue prend une durée telle que 10s",
        ],
        "usage.gotrueNumber": [
            .english: "{name} in --gotrue takes a whole number up to 1000",
            .french: "{name} dans --gotrue prend un nombre entier jusqu’à 1000",
        ],
        "usage.gotrueSecret": [
            .english: "{name} in --gotrue takes at least 32 characters",
            .french: "{name} dans --gotrue prend au moins 32 caractères",
        ],
        "usage.gotrueText": [
            .english: "{name} in --gotrue takes a value",
            .french: "{name} dans --gotrue prend une valeur",
        ],
        "usage.newProfile": [
            .english: "There is no profile \"{name}\" yet, so the service must be named",
            .french: "Il n’y a pas encore de profil « {name} » : indiquez le service",
        ],
        "usage.oneMissing": [
            .english: "Of --issuer and --client-id one is missing", .french: "Il manque --issuer ou --client-id",
        ],
        "usage.forSupabase": [
            .english: "{option} is for Supabase and Clerk, and neither --supabase nor --clerk is given",
            .french: "{option} est pour Supabase et Clerk, et ni --supabase ni --clerk n’est donné",
        ],
        "usage.notForSupabase": [
            .english: "{option} does not go with a Supabase project",
            .french: "{option} ne va pas avec un projet Supabase",
        ],
        "usage.notForClerk": [
            .english: "{option} does not go with a Clerk instance",
            .french: "{option} ne va pas avec une instance Clerk",
        ],
        "usage.instanceKey": [
            .english: "The instance's publishable key is missing", .french: "Il manque la clé publiable de l’instance",
        ],
        "usage.projectKey": [.english: "The project's key is missing", .french: "Il manque la clé du projet"],
        "usage.noPassphraseLine": [
            .english: "Standard input has no line for the new passphrase",
            .french: "L’entrée standard n’a pas de ligne pour la nouvelle phrase de passe",
        ],
        "usage.severalAccounts": [
            .english: "Several accounts have this name", .french: "Plusieurs comptes portent ce nom",
        ],
        "usage.severalFactors": [.english: "There are several factors", .french: "Il y a plusieurs facteurs"],
        "usage.factorID": [.english: "The factor's id is missing", .french: "Il manque l’identifiant du facteur"],
        "usage.identityID": [
            .english: "The identity's id is missing", .french: "Il manque l’identifiant de l’identité",
        ],
        "usage.identityProvider": [
            .english: "The name of the identity provider is missing",
            .french: "Il manque le nom du fournisseur d’identité",
        ],
        "usage.targetMissing": [
            .english: "Nobody says where to: --to is missing", .french: "Personne ne dit où aller : il manque --to",
        ],
        "usage.slotMissing": [
            .english: "The slot's number is missing", .french: "Il manque le numéro de l’emplacement de clé",
        ],
        "usage.wipe": [
            .english: "Everything of the profile {profile} would be destroyed here, and no service would be told",
            .french: "Tout ce qui est ici du profil {profile} serait détruit, et aucun service ne serait prévenu",
        ],
        "usage.eraseLog": [
            .english: "Lines of the security log of the profile {profile} would be erased for good",
            .french: "Des lignes du journal de sécurité du profil {profile} seraient effacées pour de bon",
        ],
        "complaint.empty": [.english: "is empty", .french: "est vide"],
        "complaint.long": [.english: "is longer than 8192 bytes", .french: "dépasse 8192 octets"],
        "complaint.control": [.english: "holds control characters", .french: "contient des caractères de contrôle"],
        "complaint.address": [
            .english: "is not an address such as https://id.example.com",
            .french: "n’est pas une adresse telle que https://id.example.com",
        ],
        "complaint.duration": [
            .english: "is not a duration such as 90s, 5m or 1h30m",
            .french: "n’est pas une durée telle que 90s, 5m ou 1h30m",
        ],
        "complaint.wait": [
            .english: "is not a time from 1s to 10m, such as 45s",
            .french: "n’est pas un temps de 1s à 10m, tel que 45s",
        ],
        "complaint.port": [
            .english: "is not a port number from 1 to 65535", .french: "n’est pas un numéro de port de 1 à 65535",
        ],
        "complaint.profile": [
            .english: "is not a name of 1 to 64 letters, digits, '.', '_' or '-'",
            .french: "n’est pas un nom de 1 à 64 lettres, chiffres, « . », « _ » ou « - »",
        ],
        "complaint.words": [.english: "is none of {words}", .french: "n’est pas un mot parmi {words}"],
    ]
}

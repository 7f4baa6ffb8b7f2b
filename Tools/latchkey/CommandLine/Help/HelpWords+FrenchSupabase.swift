extension HelpWords {
    /// The command about the person of a Supabase login.
    static let frenchSupabase: [String: String] = [
        "supabase": "Montre et change la personne d’une connexion Supabase",
        "supabase 1":
            "« user » montre qui c’est, d’après le service à l’instant. « claims » montre les indications (claims) du jeton"
            + " d’accès, vérifiées par les clés du projet. « metadata » montre ce que l’application garde de la personne ;"
            + " « metadata NOM=VALEUR » fixe un texte, NOM:=JSON une valeur quelconque, et NOM:=null l’ôte.",
        "supabase 2":
            "« password » change le mot de passe : demande le nouveau deux fois, et l’actuel ou un code si le service les"
            + " veut. « reauthenticate » n’envoie que ce code, pour --code-from-stdin ensuite. L’entrée standard a, un par"
            + " ligne, le nouveau mot de passe, l’actuel et le code, ceux dont une option le dit.",
        "supabase 3":
            "« email ADRESSE » et « phone NUMÉRO » changent l’adresse ou le numéro ; un invité devient par là une personne à"
            + " part entière. Le code envoyé est demandé, et celui de l’ancienne adresse aussi si le projet veut les deux."
            + " Avec --detach, avec --json ou sans terminal, « confirm ADRESSE » continue, dans n’importe quel processus."
            + " « resend » renvoie ce qui n’est pas confirmé.",
        "supabase 4":
            "« factors » montre les autres facteurs. « factors enroll » en commence un, une application"
            + " d’authentification par un code QR, et demande son premier code ; « factors verify ID » en"
            + " prouve un, maintenant ou plus tard ; « factors unenroll ID » en supprime un, ce pour quoi un"
            + " facteur vérifié doit avoir été prouvé.",
        "supabase 5":
            "« identities » montre les façons de se connecter. « identities link NOM » en ajoute une dans"
            + " un navigateur, comme github ; « identities unlink ID » en supprime une, et la dernière reste. « passkeys »"
            + " montre les clés d’accès ; « passkeys rename ID NOM » et « passkeys remove ID » les changent. Seul un"
            + " navigateur peut en ajouter une.",
        "supabase 6":
            "« open » prend le lien d’un courrier (récupération, invitation, changement d’adresse) au terminal ou par"
            + " --redirect-from-stdin, jamais comme argument : qui l’a est connecté.",
        "supabase 7":
            "Aucun jeton du projet n’est affiché. « factors enroll » affiche un secret, et « provider-token » le jeton du"
            + " fournisseur d’identité ; « provider-token refresh » affiche son jeton de renouvellement.",
        "supabase --password-from-stdin":
            "password : lit le nouveau mot de passe à l’entrée standard, sans le demander deux fois",
        "--current-password-from-stdin":
            "password : lit le mot de passe actuel à la ligne suivante de l’entrée standard",
        "--invite":
            "open : accepte une invitation ; seulement si vous en attendez une, car elle connecte au compte pour lequel elle"
            + " est",
        "supabase --detach":
            "enroll, email, phone : s’arrête une fois commencé ; « verify » ou « confirm » continue, dans n’importe quel"
            + " processus",
        "supabase ACTION":
            "Qu’en faire, list par défaut ; pour email, phone et confirm l’adresse ou le numéro",
        "supabase ID": "Lequel ; pour identities link le nom du fournisseur d’identité",
        "supabase .account": "identities link, open : l’identifiant du compte",
        ".changed": "password : true",
        ".address": "email, phone, confirm : la nouvelle adresse ou le nouveau numéro",
        ".confirmed": "email, phone, confirm : si le changement est achevé",
        ".waitingFor":
            "email, phone, confirm : une liste : l’adresse dont le code est attendu ensuite ; absent une fois achevé",
        "supabase .sentTo": "resend, reauthenticate : où le message est allé",
        ".metadata": "metadata : l’objet tel qu’il est maintenant",
        "supabase .claims": "claims : un objet : chaque indication (claim), par son nom",
        ".passkeys": "passkeys : une liste d’objets : id, name",
        ".passkey": "passkeys rename, remove : l’identifiant de la clé d’accès",
        "supabase .token": "provider-token : le jeton du fournisseur d’identité",
        ".opened":
            "open : signedIn, asked (avec les membres de « login --detach »), halfConfirmed ou addressChanged",
    ]
}

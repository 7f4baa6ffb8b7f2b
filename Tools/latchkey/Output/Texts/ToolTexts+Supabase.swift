import Latchkey

extension ToolTexts {
    /// The commands about the person of a Supabase login.
    static let supabase: [String: [TextLanguage: String]] = [
        "supabase.noFactors": [
            .english: "There are no further factors. Run: {command}",
            .french: "Il n’y a pas d’autres facteurs. Lancez : {command}",
        ],
        "supabase.unverified": [.english: "(not verified)", .french: "(non vérifié)"],
        "supabase.factorName": [.english: "{host}, {day}", .french: "{host}, {day}"],
        "supabase.left": [
            .english: "The factor is not verified. To prove it: {verify}; to remove it: {remove}",
            .french: "Le facteur n’est pas vérifié. Pour le prouver : {verify} ; pour le supprimer : {remove}",
        ],
        "supabase.prove": [
            .english: "Prove it within minutes: {command}",
            .french: "Prouvez-le dans les minutes qui viennent : {command}",
        ],
        "supabase.scan": [
            .english: "Scan this with an authenticator app:",
            .french: "Scannez ceci avec une application d’authentification :",
        ],
        "supabase.type": [.english: "Or type this into it: {secret}", .french: "Ou saisissez-y ceci : {secret}"],
        "supabase.factor": [.english: "factor  {id}", .french: "facteur  {id}"],
        "supabase.verified": [
            .english: "Verified. From now on it is asked for at each sign-in.",
            .french: "Vérifié. Il est désormais demandé à chaque connexion.",
        ],
        "supabase.factorRemoved": [.english: "Removed the factor {id}.", .french: "Facteur {id} supprimé."],
        "supabase.noIdentities": [.english: "There are no identities.", .french: "Il n’y a pas d’identités."],
        "supabase.linked": [.english: "Linked {name}.", .french: "{name} est relié."],
        "supabase.identityRemoved": [.english: "Removed the identity {id}.", .french: "Identité {id} supprimée."],
        "supabase.unconfirmed": [.english: "{value} (not confirmed)", .french: "{value} (non confirmé)"],
        "supabase.passwordChanged": [
            .english: "The password is changed. The person's other sessions have ended.",
            .french: "Le mot de passe est changé. Les autres sessions de la personne sont terminées.",
        ],
        "supabase.sentTo": [.english: "Code sent to {address}.", .french: "Code envoyé à {address}."],
        "supabase.contactChanged": [
            .english: "{address} is confirmed and counts now.", .french: "{address} est confirmé et compte désormais.",
        ],
        "supabase.confirmSent": [
            .english: "Code sent to {address}. It counts once it is confirmed: {command}",
            .french: "Code envoyé à {address}, qui comptera une fois confirmé : {command}",
        ],
        "supabase.oldAddressToo": [
            .english: "If the project wants both addresses to agree, {address} got a code too.",
            .french: "Si le projet veut l’accord des deux adresses, {address} a aussi reçu un code.",
        ],
        "supabase.confirmOther": [
            .english:
                "One of the two addresses has agreed. The code that was sent to {address} is wanted too: {command}",
            .french: "L’une des deux adresses est d’accord. Il faut aussi le code envoyé à {address} : {command}",
        ],
        "supabase.halfConfirmed": [
            .english: "One of the two addresses has agreed. The link or code that the other one got is wanted too.",
            .french: "L’une des deux adresses est d’accord. Il faut aussi le lien ou le code reçu par l’autre.",
        ],
        "supabase.noMetadata": [.english: "There is no metadata.", .french: "Il n’y a pas de métadonnées."],
        "supabase.noPasskeys": [.english: "There are no passkeys.", .french: "Il n’y a pas de clés d’accès."],
        "supabase.passkeyRenamed": [
            .english:
                "The passkey {id} is called {name} now.", .french: "La clé d’accès {id} s’appelle désormais {name}.",
        ],
        "supabase.passkeyRemoved": [
            .english: "Removed the passkey {id}.", .french: "Clé d’accès {id} supprimée.",
        ],
        "ask.currentPassword": [.english: "Current password", .french: "Mot de passe actuel"],
        "ask.link": [
            .english: "The whole address of the mail's link, or where it led",
            .french: "L’adresse entière du lien, ou celle où il a mené",
        ],
        "hint.currentPassword": [
            .english: "Give the current password on the line after the new one: {command}",
            .french: "Donnez le mot de passe actuel sur la ligne après le nouveau : {command}",
        ],
        "hint.reauthenticate": [
            .english: "Have a code sent: {send}; then give it on the line after the new password: {command}",
            .french:
                "Faites envoyer un code : {send} ; puis donnez-le sur la ligne après le nouveau mot de passe : {command}",
        ],
        "hint.resend": [
            .english: "Check the code; this sends another: {command}",
            .french: "Vérifiez le code ; ceci en envoie un autre : {command}",
        ],
        "hint.providerToken": [
            .english: "Only a sign-in at an identity provider brings one, and the service does not keep it",
            .french:
                "Seule une connexion auprès d’un fournisseur d’identité en apporte un, et le service ne le garde pas",
        ],
        "error.linkDeclined": [.english: "The link was not entered", .french: "Le lien n’a pas été saisi"],
        "error.nothingToConfirm": [
            .english: "No such address or number waits to be confirmed",
            .french: "Aucune adresse et aucun numéro de ce genre n’attend d’être confirmé",
        ],
        "error.noProviderToken": [
            .english: "The session has no such token of an identity provider",
            .french: "La session n’a pas de tel jeton d’un fournisseur d’identité",
        ],
        "error.otherIssuer": [
            .english: "The token of the stored session names the issuer {issuer}, which is not the project's",
            .french: "Le jeton de la session gardée nomme l’émetteur {issuer}, qui n’est pas celui du projet",
        ],
        "hint.trustIssuer": [
            .english: "If that is an address of the project too, such as a custom domain: {command}",
            .french: "Si c’est aussi une adresse du projet, comme un domaine à vous : {command}",
        ],
        "hint.otherProject": [
            .english: "Take it over with the project that it is of: --supabase URL --key KEY",
            .french: "Reprenez-la avec le projet dont elle est : --supabase URL --key KEY",
        ],
        "usage.trustedIssuer": [
            .english: "An issuer is an address of https, or of this machine, without a query and a fragment",
            .french: "Un émetteur est une adresse https, ou de cette machine, sans requête ni fragment",
        ],
        "usage.mailAddress": [.english: "This is no mail address", .french: "Ce n’est pas une adresse électronique"],
        "usage.phoneNumber": [.english: "This is no telephone number", .french: "Ce n’est pas un numéro de téléphone"],
        "usage.severalToConfirm": [
            .english: "Several addresses and numbers wait to be confirmed, and none is named",
            .french: "Plusieurs adresses et numéros attendent d’être confirmés, et aucun n’est nommé",
        ],
        "usage.assignment": [
            .english: "Metadata is NAME=VALUE, or NAME:=JSON", .french: "Les métadonnées sont NOM=VALEUR, ou NOM:=JSON",
        ],
        "usage.providerToken": [
            .english: "The token of the identity provider is access or refresh",
            .french: "Le jeton du fournisseur d’identité est access ou refresh",
        ],
    ]
}

import Latchkey

extension ToolTexts {
    /// What is wrong with what was piped in.
    static let input: [String: [TextLanguage: String]] = [
        "usage.inputLarge": [
            .english: "Standard input is larger than 1 MiB", .french: "L’entrée standard dépasse 1 Mio",
        ],
        "usage.inputEmpty": [.english: "Standard input is empty", .french: "L’entrée standard est vide"],
        "usage.variable": [
            .english: "The value of --env is not the name of a variable",
            .french: "La valeur de --env n’est pas un nom de variable",
        ],
        "usage.inputEncoding": [
            .english: "Standard input is no text in UTF-8", .french: "L’entrée standard n’est pas un texte en UTF-8",
        ],
        "usage.inputUnreadable": [
            .english: "Standard input cannot be read", .french: "L’entrée standard est illisible",
        ],
        "usage.noForm": [
            .english: "--fields-from-stdin answers a form, and the challenge is none",
            .french: "--fields-from-stdin répond à un formulaire, et la question n’en est pas un",
        ],
        "usage.fieldLine": [
            .english: "Standard input must have a line NAME=VALUE for each field of the form: {fields}",
            .french: "L’entrée standard doit avoir une ligne NOM=VALEUR pour chaque champ du formulaire : {fields}",
        ],
        "usage.fieldName": [
            .english: "A line of standard input names no field of the form, or one twice; the form has {fields}",
            .french:
                "Une ligne de l’entrée standard ne nomme aucun champ du formulaire, ou un deux fois ; il a {fields}",
        ],
        "usage.fieldMissing": [
            .english: "A field that the form needs is missing or empty; it has {fields}",
            .french: "Un champ nécessaire du formulaire manque ou est vide ; il a {fields}",
        ],
    ]
}

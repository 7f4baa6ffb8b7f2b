import Latchkey

extension ToolTexts {
    /// What a person can do next about a request that got no answer, or one that is not the service's.
    static let requestHints: [String: [TextLanguage: String]] = [
        "hint.network": [
            .english: "Check the address and the network, then try again",
            .french: "Vérifiez l’adresse et le réseau, puis réessayez",
        ],
        "hint.portal": [
            .english: "Open any page in a browser, sign in to the network if it asks, then try again",
            .french: "Ouvrez une page dans un navigateur, connectez-vous au réseau s’il le demande, puis réessayez",
        ],
        "hint.redirect": [
            .english: "Open a page in a browser to see whether the network wants a sign-in; if not, check the address",
            .french: "Ouvrez une page dans un navigateur pour voir si le réseau veut une connexion ; sinon, vérifiez"
                + " l’adresse",
        ],
        "hint.gateway": [
            .english: "Try again later, or from another network; if it stays so, ask those who run the service",
            .french: "Réessayez plus tard, ou d’un autre réseau ; si cela dure, demandez à ceux qui gèrent le service",
        ],
        "hint.notFound": [
            .english: "Try again later; if it never worked, check the service's address",
            .french: "Réessayez plus tard ; si cela n’a jamais marché, vérifiez l’adresse du service",
        ],
        "hint.strange": [
            .english: "Try again later; if it stays so, sign in again: {command}",
            .french: "Réessayez plus tard ; si cela dure, reconnectez-vous : {command}",
        ],
        "hint.https": [.english: "Use {origin}", .french: "Utilisez {origin}"],
        "hint.tls": [
            .english:
                "Check the address and this machine's clock; for a company's own authority add --ca-file FILE to login or to \"latchkey profiles edit\"",
            .french:
                "Vérifiez l’adresse et l’horloge de la machine ; pour l’autorité d’une entreprise ajoutez --ca-file FICHIER à login ou à « latchkey profiles edit »",
        ],
        "hint.proxy": [
            .english: "Check the proxy's address: --proxy, or https_proxy in the environment",
            .french: "Vérifiez l’adresse du mandataire : --proxy, ou https_proxy dans l’environnement",
        ],
        "hint.proxyPassword": [
            .english: "Give both in the environment: https_proxy=http://NAME:PASSWORD@HOST:PORT",
            .french: "Donnez-les dans l’environnement : https_proxy=http://NOM:MOT-DE-PASSE@HÔTE:PORT",
        ],
        "hint.authority": [
            .english:
                "If a company's own authority has signed it, name its certificate: --ca-file FILE of login, or later of \"latchkey profiles edit\"",
            .french:
                "Si l’autorité d’une entreprise l’a signé, nommez son certificat : --ca-file FICHIER de login, ou plus tard de « latchkey profiles edit »",
        ],
        "hint.authorityFile": [
            .english:
                "Name a file with the authority's certificate in PEM: --ca-file FILE of login, or later of \"latchkey profiles edit\"",
            .french:
                "Nommez un fichier avec le certificat de l’autorité en PEM : --ca-file FICHIER de login, ou plus tard de « latchkey profiles edit »",
        ],
        "hint.certificateTime": [
            .english: "Check this machine's clock; if it is right, the certificate must be renewed there",
            .french:
                "Vérifiez l’horloge de cette machine ; si elle est juste, le certificat doit être renouvelé là-bas",
        ],
        "hint.certificateHost": [
            .english: "Check the address; if it is right, somebody else may answer there",
            .french: "Vérifiez l’adresse ; si elle est juste, c’est peut-être quelqu’un d’autre qui y répond",
        ],
        "hint.proxyMethod": [
            .english:
                "Run a proxy of your own that signs in there, such as cntlm or Px, and name that one in https_proxy",
            .french:
                "Lancez un mandataire à vous qui s’y connecte, tel que cntlm ou Px, et nommez-le dans https_proxy",
        ],
        "hint.tlsTooOld": [
            .english: "The service's operator must offer TLS 1.2 or later; nothing was sent",
            .french: "L’exploitant du service doit offrir TLS 1.2 ou une version plus récente ; rien n’a été envoyé",
        ],
        "hint.clientCertificate": [
            .english: "Ask the service's operator for an address without mutual TLS; nothing was sent",
            .french: "Demandez à l’exploitant du service une adresse sans TLS mutuel ; rien n’a été envoyé",
        ],
        "hint.notTLS": [
            .english: "Check the address and its port, and any proxy between",
            .french: "Vérifiez l’adresse et son port, et tout mandataire sur le chemin",
        ],
        "hint.answerLate": [
            .english: "{again}; if the service is slow, add --timeout with a longer time, such as 5m",
            .french: "{again} ; si le service est lent, ajoutez --timeout avec un temps plus long, tel que 5m",
        ],
        "hint.slow": [
            .english:
                "Check the address and the network, then try again; if the service is slow, add --timeout with a longer time, such as 1m",
            .french:
                "Vérifiez l’adresse et le réseau, puis réessayez ; si le service est lent, ajoutez --timeout avec un temps plus long, tel que 1m",
        ],
    ]
}

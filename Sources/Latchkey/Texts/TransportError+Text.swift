import FoundationEssentials

extension TransportError {
    /// One sentence in English that names the host and the cause, as far as they are known.
    public var message: String { text(in: .english) + "." }

    /// Returns the sentence of ``message`` for a person, without a full stop.
    public func text(in language: TextLanguage = .system) -> String {
        Self.texts.text(key, in: language, values(in: language))
    }

    /// Which text fits.
    private var key: String {
        if code == .libraryMissing, refusal != nil { return "libraryRefused" }
        guard let cause else { return code.rawValue }
        switch cause {
        case .certificateExpired where certificate?.notAfter != nil: return "certificateExpired.on"
        case .certificateNotYetValid where certificate?.notBefore != nil: return "certificateNotYetValid.before"
        case .certificateForAnotherHost where certificate?.hosts.isEmpty == false: return "certificateForAnotherHost.of"
        case .proxyRefused where proxyStatus != nil: return "proxyRefused.status"
        case .authorityFile where file == nil: return "authorityFile.unnamed"
        default: return cause.rawValue
        }
    }

    /// The values of all places. Those that are not known have no text whose place they would fill.
    private func values(in language: TextLanguage) -> [String: String] {
        func word(_ key: String, _ name: String?, without: String) -> String {
            guard let name else { return Self.words.text(without, in: language) }
            return Self.words.text(key, in: language, ["name": name])
        }
        let ofService = word("of", origin, without: "of.service")
        let whose = proxy == nil ? ofService : word("of.proxy", proxy, without: "proxy.unknown")
        let service = word("itself", origin, without: "service")
        let kind = certificate?.isAuthority == true ? "certificate.above" : "certificate"
        return [
            "host": service, "of": ofService, "place": word("itself", origin, without: "service.within"),
            "to": word("to", origin, without: "to.service"),
            "proxy": word("proxy", proxy, without: "proxy.unknown"),
            "speaker": proxy == nil ? service : word("proxy.first", proxy, without: "service"),
            "certificate": word(kind, whose, without: "service"), "file": file ?? "", "refusal": refusal ?? "",
            "status": proxyStatus.map { "\($0)" } ?? "", "hosts": certificate?.hosts.joined(separator: ", ") ?? "",
            "end": certificate?.notAfter.map(Self.minute) ?? "",
            "begin": certificate?.notBefore.map(Self.minute) ?? "",
        ]
    }

    /// Returns the minute, such as `2026-01-05 12:00 UTC`.
    private static func minute(_ date: Date) -> String {
        let text = date.formatted(Date.ISO8601FormatStyle(dateTimeSeparator: .space))
        return "\(text.prefix(16)) UTC"
    }

    /// The words for what the sentences are about.
    static let words = TextTable([
        "itself": [.english: "{name}", .french: "{name}"],
        "service": [.english: "The service", .french: "Le service"],
        "service.within": [.english: "the service", .french: "le service"],
        "of": [.english: "of {name}", .french: "de {name}"],
        "of.service": [.english: "of the service", .french: "du service"],
        "of.proxy": [.english: "of the proxy {name}", .french: "du mandataire {name}"],
        "to": [.english: "to {name}", .french: "à {name}"],
        "to.service": [.english: "to the service", .french: "au service"],
        "proxy": [.english: "the proxy {name}", .french: "le mandataire {name}"],
        "proxy.first": [.english: "The proxy {name}", .french: "Le mandataire {name}"],
        "proxy.unknown": [.english: "the proxy", .french: "le mandataire"],
        "certificate": [.english: "The certificate {name}", .french: "Le certificat {name}"],
        "certificate.above": [
            .english: "A certificate of the authorities above that {name}",
            .french: "Un certificat des autorités au-dessus de celui {name}",
        ],
    ])

    /// The sentences, by cause, or by code if no cause is known.
    static let texts = TextTable(ofConnections.merging(ofTLS) { own, _ in own })

    private static let ofConnections: [String: [TextLanguage: String]] = [
        "connectionRefused": [
            .english: "{host} refuses connections: nothing listens there",
            .french: "{host} refuse les connexions : rien n’y écoute",
        ],
        "noSuchHost": [
            .english: "{host} cannot be reached: there is no such host, as far as this machine can tell",
            .french: "{host} est injoignable : cette machine ne trouve aucun hôte de ce nom",
        ],
        "noRoute": [
            .english: "{host} cannot be reached: no network leads there",
            .french: "{host} est injoignable : aucun réseau n’y mène",
        ],
        "proxy": [
            .english: "{host} cannot be reached: {proxy} does not exist, or nothing listens there",
            .french: "{host} est injoignable : {proxy} n’existe pas, ou rien n’y écoute",
        ],
        "proxyRefused": [
            .english: "{host} cannot be reached: {proxy} opens no connection to it",
            .french: "{host} est injoignable : {proxy} n’ouvre pas de connexion vers lui",
        ],
        "proxyRefused.status": [
            .english: "{host} cannot be reached: {proxy} opens no connection to it, and answered HTTP {status}",
            .french: "{host} est injoignable : {proxy} n’ouvre pas de connexion vers lui, et a répondu HTTP {status}",
        ],
        "proxyPassword": [
            .english: "{host} cannot be reached: {proxy} wants a valid name and password",
            .french: "{host} est injoignable : {proxy} demande un nom et un mot de passe valables",
        ],
        "proxyMethod": [
            .english:
                "{host} cannot be reached: {proxy} wants NTLM, Kerberos or another sign-in than a name and a password",
            .french:
                "{host} est injoignable : {proxy} demande NTLM, Kerberos ou une autre connexion qu’un nom et un mot de passe",
        ],
        "unreachable": [.english: "{host} cannot be reached", .french: "{host} est injoignable"],
        "timedOut": [.english: "{host} did not answer in time", .french: "{host} n’a pas répondu à temps"],
        "interrupted": [.english: "The connection {to} broke", .french: "La connexion {to} s’est rompue"],
        "tooLarge": [.english: "The answer {of} is too large", .french: "La réponse {of} est trop grande"],
        "compressionDamaged": [
            .english: "The answer {of} is compressed, and its bytes are cut or wrong",
            .french: "La réponse {of} est compressée, et ses octets sont tronqués ou faux",
        ],
        "compressionTooLarge": [
            .english: "The answer {of} is compressed, and becomes too large when it is decompressed",
            .french: "La réponse {of} est compressée, et devient trop grande une fois décompressée",
        ],
        "libraryMissing": [
            .english: "The library that sends requests is not installed: libcurl.so.4, of the Debian package libcurl4",
            .french:
                "La bibliothèque qui envoie les requêtes n’est pas installée : libcurl.so.4, du paquet Debian libcurl4",
        ],
        "libraryRefused": [
            .english: "The library that sends requests cannot be loaded: {refusal}",
            .french: "La bibliothèque qui envoie les requêtes ne se charge pas : {refusal}",
        ],
        "invalidRequest": [
            .english: "The request's address or a header is malformed",
            .french: "L’adresse de la requête ou un en-tête est mal formé",
        ],
    ]

    private static let ofTLS: [String: [TextLanguage: String]] = [
        "tlsTooOld": [
            .english: "{speaker} speaks only versions of TLS that are no longer safe",
            .french: "{speaker} ne parle que des versions de TLS qui ne sont plus sûres",
        ],
        "clientCertificateDemanded": [
            .english: "{speaker} wants a certificate of this program, which has none",
            .french: "{speaker} demande un certificat à ce programme, qui n’en a pas",
        ],
        "notTLS": [.english: "{speaker} does not speak TLS", .french: "{speaker} ne parle pas TLS"],
        "certificateExpired": [
            .english: "{certificate} has expired, or this machine's clock is wrong",
            .french: "{certificate} a expiré, ou l’horloge de cette machine est fausse",
        ],
        "certificateExpired.on": [
            .english: "{certificate} expired on {end}, or this machine's clock is wrong",
            .french: "{certificate} a expiré le {end}, ou l’horloge de cette machine est fausse",
        ],
        "certificateNotYetValid": [
            .english: "{certificate} is not valid yet, or this machine's clock is wrong",
            .french: "{certificate} n’est pas encore valable, ou l’horloge de cette machine est fausse",
        ],
        "certificateNotYetValid.before": [
            .english: "{certificate} is not valid before {begin}, or this machine's clock is wrong",
            .french: "{certificate} n’est pas valable avant le {begin}, ou l’horloge de cette machine est fausse",
        ],
        "certificateForAnotherHost": [
            .english: "{certificate} is for another host", .french: "{certificate} est pour un autre hôte",
        ],
        "certificateForAnotherHost.of": [
            .english: "{certificate} is for another host: {hosts}",
            .french: "{certificate} est pour un autre hôte : {hosts}",
        ],
        "certificateUntrusted": [
            .english: "{certificate} is signed by no authority that this machine trusts",
            .french: "{certificate} n’est signé par aucune autorité à laquelle cette machine se fie",
        ],
        "certificateSelfSigned": [
            .english: "{certificate} is signed by itself, and by no authority that this machine trusts",
            .french: "{certificate} est signé par lui-même, et par aucune autorité à laquelle cette machine se fie",
        ],
        "authorityFile": [
            .english: "The file {file} cannot be read, or holds no authority's certificate in PEM",
            .french: "Le fichier {file} est illisible, ou ne contient aucun certificat d’autorité en PEM",
        ],
        "authorityFile.unnamed": [
            .english: "The authorities that this machine trusts cannot be read, or there are none",
            .french: "Les autorités auxquelles cette machine se fie sont illisibles, ou il n’y en a aucune",
        ],
        "tls": [
            .english: "TLS could not establish that {place} is who answers",
            .french: "TLS n’a pas pu établir que c’est {place} qui répond",
        ],
        "pinMismatch": [
            .english:
                "The key {of} is not one of those pinned for it: if the service has changed its key, update the pins, and otherwise somebody may be in between",
            .french:
                "La clé {of} n’est pas une de celles qui sont épinglées pour lui : si le service a changé de clé, mettez les empreintes à jour, sinon quelqu’un est peut-être entre les deux",
        ],
    ]
}

import LatchkeyJSON
import LatchkeyLoopback

/// The format of a profile's file.
enum ProfileWire {
    /// The version that is written. Files of a higher version are read, but never written.
    static let version: Int64 = 1

    private static let known: Set<String> = [
        "version", "issuer", "client_id", "client_secret", "scopes", "redirect_port", "method",
        "audiences", "client_authentication", "allowed_origins", "service", "connection", "store",
        "ca_file", "proxy", "product", "trusted_audiences", "trusted_issuers", "consent", "redirect_uri",
        "revocation_reach", "discovery", "endpoints", "default_scopes", "parameters", "reuse_interval",
        "accepted_directory",
    ]

    /// Basic without the encoding of the standard, for which there is no registered name.
    private static let rawBasic = "client_secret_basic_raw"

    /// Returns the document for `profile`.
    static func encode(_ profile: Profile) -> JSON {
        var members = profile.unknown
        members["version"] = .integer(version)
        members["issuer"] = .string(profile.issuer)
        members["client_id"] = .string(profile.clientID)
        members["client_secret"] = secret(profile.clientSecret)
        members["scopes"] = .array(profile.scopes.map { .string($0) })
        members["audiences"] = profile.audiences.isEmpty ? nil : .array(profile.audiences.map { .string($0) })
        members["allowed_origins"] =
            profile.allowedOrigins.isEmpty ? nil : .array(profile.allowedOrigins.map { .string($0) })
        members["client_authentication"] =
            profile.sendsSecretInBody ? "client_secret_post" : profile.sendsSecretRaw ? .string(rawBasic) : nil
        members["redirect_port"] = profile.redirectPort.map { .integer(Int64($0)) }
        members["redirect_uri"] = profile.redirect.map { .string($0.description) }
        members["method"] = .string(profile.method.rawValue)
        // Absent for the first kind of service, so that older files and versions agree.
        members["service"] = profile.service == .oauth ? nil : .string(profile.service.name)
        members["connection"] = profile.connection.map { .string($0) }
        members["ca_file"] = profile.caFile.map { .string($0) }
        members["accepted_directory"] = profile.acceptedDirectory.map { .string($0) }
        members["proxy"] = profile.proxy.map { .string($0) }
        members["trusted_audiences"] =
            profile.trustedAudiences.isEmpty ? nil : .array(profile.trustedAudiences.map { .string($0) })
        members["trusted_issuers"] =
            profile.trustedIssuers.isEmpty ? nil : .array(profile.trustedIssuers.map { .string($0) })
        members["consent"] = profile.asksConsent.map { .string($0 ? "always" : "never") }
        members["reuse_interval"] = profile.reuseInterval.map { .string(Durations.exact($0)) }
        members["revocation_reach"] = profile.revocationReach.map { .string($0.rawValue) }
        members["parameters"] =
            profile.parameters.isEmpty ? nil : .object(profile.parameters.mapValues { .string($0) })
        members["product"] = profile.product.map { .string($0) }
        members["discovery"] = profile.hasIssuer ? nil : false
        members["default_scopes"] = profile.asksNoScope ? false : profile.keepsDefaultScopes ? true : nil
        members["endpoints"] =
            profile.endpoints.isEmpty
            ? nil
            : .object(
                Dictionary(uniqueKeysWithValues: profile.endpoints.map { ($0.key.rawValue, JSON.string($0.value)) }))
        members["store"] = profile.place.map { .string($0.name) }
        return .object(members)
    }

    /// Reads the profile `name` and the version of its document.
    static func decode(_ document: JSON, name: String) throws(JSONError) -> (Profile, version: Int64) {
        let root = JSONField(document)
        let version = try root["version"].integer()
        var profile = Profile(
            name: name, issuer: try root["issuer"].string(), clientID: try root["client_id"].string())
        profile.scopes = try texts(root["scopes"])
        profile.audiences = try texts(root["audiences"])
        profile.allowedOrigins = try texts(root["allowed_origins"])
        let way = try root["client_authentication"].optional?.string()
        (profile.sendsSecretInBody, profile.sendsSecretRaw) = (way == "client_secret_post", way == rawBasic)
        if let field = root["redirect_port"].optional {
            guard let port = UInt16(exactly: try field.integer()), port > 0 else {
                throw JSONError(.wrongType, at: field.path)
            }
            profile.redirectPort = port
        }
        if let field = root["redirect_uri"].optional {
            guard let redirect = try? LoopbackRedirect(field.string()), redirect.port == nil else {
                throw JSONError(.wrongType, at: field.path)
            }
            profile.redirect = redirect
        }
        profile.service = service(try root["service"].optional?.string())
        profile.connection = try root["connection"].optional?.string()
        profile.caFile = try root["ca_file"].optional?.string()
        profile.acceptedDirectory = try root["accepted_directory"].optional?.string()
        profile.proxy = try root["proxy"].optional?.string()
        profile.trustedAudiences = try texts(root["trusted_audiences"])
        profile.trustedIssuers = try texts(root["trusted_issuers"])
        // A word of a newer version leaves it to the service.
        profile.asksConsent = try root["consent"].optional?.string().consent
        profile.revocationReach = try (root["revocation_reach"].optional?.string()).flatMap(RevocationReach.init)
        for (name, value) in try root["parameters"].optional?.object() ?? [:] {
            profile.parameters[name] = value.string
        }
        // A text of a newer version counts as not known.
        if let text = try root["reuse_interval"].optional?.string() { profile.reuseInterval = Durations.parse(text) }
        profile.product = try root["product"].optional?.string()
        profile.hasIssuer = try root["discovery"].optional?.bool() ?? true
        let isDefault = try root["default_scopes"].optional?.bool()
        (profile.asksNoScope, profile.keepsDefaultScopes) = (isDefault == false, isDefault == true)
        for (name, address) in try root["endpoints"].optional?.object() ?? [:] {
            // One of a newer version is not needed by what this version does.
            if let endpoint = ServiceEndpoint(rawValue: name) { profile.endpoints[endpoint] = address.string }
        }
        profile.clientSecret = try secret(root["client_secret"], of: profile)
        if let field = root["store"].optional { profile.place = SessionPlace(name: try field.string()) }
        // A method of a newer version does not make the session unusable, so use the usual one.
        profile.method =
            (try root["method"].optional?.string()).flatMap(Profile.Method.init)
            ?? (profile.service.isDirect ? .password : .browser)
        profile.unknown = try root.object().filter { !known.contains($0.key) }
        return (profile, version)
    }

    private static func service(_ name: String?) -> Profile.Service {
        let known = [Profile.Service.oauth, .supabase, .clerk]
        return name.map { name in known.first { $0.name == name } ?? .unknown(name) } ?? .oauth
    }

    private static func texts(_ field: JSONField) throws(JSONError) -> [String] {
        var texts: [String] = []
        for element in try field.optional?.array() ?? [] { texts.append(try element.string()) }
        return texts
    }

    private static func secret(_ source: Profile.ClientSecret) -> JSON? {
        switch source {
        case .none: nil
        case .environment(let receiver): ["from": "environment", "for": .array(receiver.parties.map(JSON.string))]
        case .file(let path): ["from": "file", "path": .string(path)]
        case .prompt: ["from": "prompt"]
        }
    }

    private static func secret(_ field: JSONField, of profile: Profile) throws(JSONError) -> Profile.ClientSecret {
        guard let field = field.optional else { return .none }
        switch try field["from"].string() {
        case "environment":
            // Older versions wrote no receiver, but sent the secret to the one that the profile has.
            guard field["for"].isPresent else { return .environment(for: profile.secretReceiver) }
            return .environment(for: SecretReceiver(parties: try texts(field["for"])))
        case "file": return .file(try field["path"].string())
        case "prompt": return .prompt
        default: throw JSONError(.wrongType, at: field["from"].path)
        }
    }
}

extension String {
    /// What the word says about asking for consent; `nil` for any other word.
    fileprivate var consent: Bool? { ["always": true, "never": false][self] }
}

import Latchkey
import LatchkeyJSON
import LatchkeyLoopback

/// A profile as `profiles` shows it.
struct ProfileReport {
    let profile: Profile
    let isDefault: Bool

    init(profile: Profile, isDefault: Bool) { (self.profile, self.isDefault) = (profile, isDefault) }

    /// Creates the report, and looks whether the profile is the default.
    init(_ profile: Profile, _ invocation: Invocation) throws {
        self.init(profile: profile, isDefault: try invocation.profiles().defaultName() == profile.name)
    }

    /// Shows one line if there is one, else everything.
    func show(_ invocation: Invocation, saying line: String? = nil) throws {
        try invocation.show(["profiles": [.object(json(invocation))]], line.map { [$0] } ?? lines(invocation.texts))
    }

    /// The members of the JSON output.
    func json(_ invocation: Invocation) -> [String: JSON] {
        var members: [String: JSON] = [
            "profile": .string(profile.name), "service": .string(profile.service.name),
            "issuer": .string(profile.issuer), "clientId": .string(profile.clientID),
            "method": .string(profile.method.rawValue), "default": .bool(isDefault),
            "capabilities": .array(capabilities(invocation).map(JSON.string)),
            "scopes": .array(profile.scopes.map(JSON.string)),
            "audiences": .array(profile.audiences.map(JSON.string)),
            "trustedAudiences": .array(profile.trustedAudiences.map(JSON.string)),
            "allowedOrigins": .array(profile.allowedOrigins.map(JSON.string)),
        ]
        members["redirectUri"] = profile.redirect.map { .string($0.description) }
        members["redirectPort"] = profile.redirectPort.map { .integer(Int64($0)) }
        members["clientSecret"] = profile.clientSecret.name.map(JSON.string)
        members["endpoints"] =
            profile.endpoints.isEmpty
            ? nil
            : .object(
                Dictionary(uniqueKeysWithValues: profile.endpoints.map { ($0.key.rawValue, JSON.string($0.value)) }))
        members["hasIssuer"] = profile.hasIssuer ? nil : false
        members["defaultScopes"] = profile.asksNoScope ? false : profile.keepsDefaultScopes ? true : nil
        members["caFile"] = profile.caFile.map(JSON.string)
        members["acceptedDirectory"] = profile.acceptedDirectory.map(JSON.string)
        members["proxy"] = profile.proxy.map(JSON.string)
        members["product"] = profile.product.map(JSON.string)
        members["parameters"] =
            profile.parameters.isEmpty ? nil : .object(profile.parameters.mapValues { .string($0) })
        members["revocationReach"] = profile.revocationReach.map { .string($0.rawValue) }
        members["trustedIssuers"] =
            profile.trustedIssuers.isEmpty ? nil : .array(profile.trustedIssuers.map(JSON.string))
        members["consent"] = profile.asksConsent.map { $0 ? "always" : "never" }
        members["reuseInterval"] = profile.reuseInterval.map { .number($0.inSeconds) }
        return members
    }

    private func lines(_ texts: ToolTexts) -> [String] {
        Columns.lines([
            (texts("label.profile"), profile.name + (isDefault ? " (\(texts("profiles.default")))" : "")),
            (texts("label.issuer"), texts(profile.target)),
            (texts("label.method"), texts(method)),
            (texts("label.endpoints"), listed(endpoints)),
            (texts("label.scopes"), scopes(texts)),
            (texts("label.audiences"), listed(profile.audiences)),
            (texts("label.trusted"), listed(profile.trustedAudiences)),
            (texts("label.trustedIssuers"), listed(profile.trustedIssuers)),
            (
                texts("label.parameters"),
                listed(profile.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
            ),
            (texts("label.consent"), profile.asksConsent.map { texts($0 ? "consent.always" : "consent.never") }),
            (texts("label.reuseInterval"), profile.reuseInterval.map(Durations.exact)),
            (texts("label.reach"), profile.revocationReach.map { texts($0.text) }),
            (texts("label.origins"), listed(profile.allowedOrigins)),
            (texts("label.redirect"), profile.redirect.map { "\($0)" }),
            (texts("label.port"), profile.redirectPort.map { "\($0)" }),
            (texts("label.secret"), secret(texts)),
            (texts("label.store"), (profile.place ?? .file).name),
            (texts("label.accepted"), profile.acceptedDirectory),
            (texts("label.caFile"), profile.caFile), (texts("label.proxy"), profile.proxy),
            (texts("label.product"), profile.product),
        ])
    }

    private func scopes(_ texts: ToolTexts) -> String? {
        if profile.asksNoScope { return texts("scopes.none") }
        let named = listed(profile.scopes)
        return profile.keepsDefaultScopes ? named.map { texts("scopes.added", ["scopes": $0]) } : named
    }

    private var endpoints: [String] { ServiceEndpoint.allCases.compactMap { profile.endpoints[$0] } }

    private var method: String {
        switch profile.method {
        case .browser: "method.browser"
        case .device: "method.device"
        case .password: "method.password"
        case .code: "method.code"
        case .link: "method.link"
        case .service: "method.service"
        }
    }

    private func listed(_ words: [String]) -> String? { words.isEmpty ? nil : words.joined(separator: " ") }

    private func secret(_ texts: ToolTexts) -> String? {
        switch profile.clientSecret {
        case .none: nil
        case .environment: "$" + ClientSecrets.variable
        case .file(let path): path
        case .prompt: texts("secret.prompt")
        }
    }

    /// The capabilities of the profile's provider; none for a profile of a newer version of this tool.
    private func capabilities(_ invocation: Invocation) -> [String] {
        let rules = try? Workplace(invocation, profile).client.rules[Composition.provider(of: profile)]
        return (rules?.capabilities ?? []).map(\.rawValue).sorted()
    }
}

extension Profile.ClientSecret {
    /// Where it comes from, one word; `nil` if there is none.
    fileprivate var name: String? {
        switch self {
        case .none: nil
        case .environment: "environment"
        case .file: "file"
        case .prompt: "prompt"
        }
    }
}

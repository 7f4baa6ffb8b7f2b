import LatchkeyHTTPServer
import LatchkeyJSON

/// What is asked without a session, and what this instance does not offer. Both in the service's own format.
extension ClerkState {
    static let absent = ClerkRefusal(403, "feature_not_enabled")

    /// Refuses what is not below the version: API keys, and paths that nothing answers at.
    static func refuseAbsent(_ request: ServerRequest) throws(ClerkRefusal) {
        let parts = request.path.dropFirst(ClerkCall.prefix.count).split(separator: "/")
        if parts.first == "v1" { return }
        throw ["api_keys", "m2m_tokens"].contains(parts.first) ? absent : ClerkRefusal(404, "resource_not_found")
    }

    /// Answers a request about the instance; `nil` if it is none.
    func answerPublic(_ call: ClerkCall) throws(ClerkRefusal) -> ServerResponse? {
        switch (call.method, call.path) {
        case ("GET", ["environment"]), ("PATCH", ["environment"]),
            ("PATCH", ["dev_tools", "enable_environment_setting"]):
            return response(.bare(environment), nil, isNew: false)
        case ("POST", ["dev_browser"]):
            // A native program has no use for one, but may ask.
            return .json(JSON.object(["object": "dev_browser", "id": .string(Self.name("dvb"))]).serialized())
        case ("GET", ["health"]): return response(.bare(["status": "success"]), nil, isNew: false)
        case ("POST", ["waitlist"]):
            guard try call.required("email_address").contains("@") else {
                throw ClerkRefusal(422, "form_param_format_invalid", ["param_name": "email_address"])
            }
            let entry: JSON = [
                "object": "waitlist", "id": .string(Self.name("wle")), "created_at": time(wall),
                "updated_at": time(wall),
            ]
            return response(.wrapped(entry), current(call), isNew: false)
        default: return nil
        }
    }

    /// Answers what is below the client beside sign-ins, sign-ups and sessions; `nil` for these.
    func answerAside(_ call: ClerkCall, _ path: [String]) throws(ClerkRefusal) -> ServerResponse? {
        switch path.first {
        case "touch" where path.count == 1:
            let redirect = call.query("redirect_url") ?? ""
            guard settings.allows(redirect: redirect) else {
                throw ClerkRefusal(422, "invalid_redirect_url", ["param_name": "redirect_url"])
            }
            return .redirect(to: redirect, status: 307)
        case "verify" where path.count == 1: throw ClerkRefusal(400, "captcha_not_enabled")
        case "hosted_auth", "device_attestation", "trusted_devices", "biometric_credentials": throw Self.absent
        case "sign_ins", "sign_ups":
            if path.last == "protect_check" { throw ClerkRefusal(400, "protect_check_already_resolved") }
            return nil
        default: return nil
        }
    }

    /// Answers a person's request about what this instance does not offer, or has only to look at; `nil` for others.
    func answerRest(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> ClerkReply? {
        switch (call.method, path.first) {
        case ("GET", "organization_creation_defaults"):
            return .wrapped([
                "object": "organization_creation_defaults", "id": "", "advisory": .null,
                "form": [
                    "name": .string("\(person.firstName ?? "My") Organization"), "slug": .string("my-organization"),
                    "logo": .null, "blur_hash": .null,
                ],
            ])
        case ("GET", "enterprise_connections"):
            let domain = String((person.email ?? "").drop { $0 != "@" }.dropFirst())
            return .wrapped(settings.enterpriseDomains.contains(domain) ? [company(domain)] : [])
        case (_, "web3_wallets"), (_, "trusted_devices"), (_, "biometric_credentials"), (_, "oauth"), (_, "tokens"),
            (_, "billing"):
            throw Self.absent
        default: return nil
        }
    }
}

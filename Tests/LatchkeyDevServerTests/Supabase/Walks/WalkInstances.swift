@testable import LatchkeyDevServer
import RecordedGoTrue

/// The settings of the recorded instances, by their ports.
enum WalkInstances {
    static func settings(_ port: Int) -> DevServer.Supabase {
        var settings = DevServer.Supabase()
        settings.publishableKey = nil
        settings.users = []
        settings.resendGap = 0
        settings.providers = ["github", "keycloak"]
        settings.testCodes = ["15550100001": "123456"]
        settings.sendsMessages = false
        settings.autoconfirms = true
        settings.allowsAnonymous = false
        (settings.allowsPasskeys, settings.relyingPartyName) = (false, "Scratch")
        switch port {
        case 9997: settings.reuseInterval = 0
        case 9995: (settings.accessTokenLifetime, settings.codeLifetime) = (2, 1)
        case 9994:
            (settings.resendGap, settings.addressField) = (60, "X-Real-Ip")
            (settings.allowsAnonymous, settings.anonymousPerHour) = (true, 2)
        case 9993:
            (settings.disablesSignUp, settings.allowsTOTP, settings.mailsPerHour) = (true, false, 2)
            settings.autoconfirms = false
        case 9992: settings.captchaToken = "the right answer"
        case 9990:
            (settings.passwordLength, settings.passwordNeedsLettersAndDigits) = (12, true)
            settings.reauthenticationAge = 86_400
        case 9989: (settings.allowsOneSession, settings.needsCurrentPassword) = (true, true)
        case 9988: (settings.timeBox, settings.lowLevelLimit) = (3, 2)
        case 9986: (settings.refreshTokens, settings.inactivity, settings.allowsSSO) = (.v1, 2, true)
        default: (settings.autoconfirms, settings.allowsAnonymous, settings.allowsPasskeys) = (false, true, true)
        }
        return settings
    }
}

/// What the dialect does not do, by name.
enum WalkExemptions {
    private static let files = [
        "database-errors": "database errors", "hooks": "hooks", "oauth-server": "OAuth server consent",
    ]
    private static let names = [
        "refresh-conflict-409-session-locked": "409 timing",
        "request-timeout-504-database-row-locked": "504 timing",
        "sso-by-domain-skip-http-redirect": "SAML",
        "openid-configuration": "OAuth server", "oauth-authorization-server-metadata": "OAuth server",
    ]

    static func reason(for exchange: RecordedExchange) -> String? { files[exchange.topic] ?? names[exchange.name] }
}

import LatchkeyCrypto
import LatchkeyHTTPServer

/// A mail or SMS to send.
struct SupabaseMail {
    /// The purpose, in the words of the verification endpoint.
    var type: String
    var to: String
    var channel = "email"
}

extension SupabaseState {
    /// Sends a code, and by mail a link too. The previous code and link of the same kind become invalid.
    mutating func send(
        _ kind: SupabaseOneTime.Kind, _ mail: SupabaseMail, to person: inout SupabasePerson, _ call: SupabaseCall,
        flow: SupabaseChallengePair?, isFree: Bool = false
    ) throws(SupabaseFailure) {
        if !isFree { try checkGap(kind, mail, of: person) }
        try checkQuota(mail)
        let isTest = mail.channel != "email" && settings.testCodes[mail.to] != nil
        guard mail.channel == "email" || isTest || settings.sendsMessages else {
            throw SupabaseFailure(422, .smsSendFailed, "Error sending sms OTP: the service is unavailable")
        }
        let code = isTest ? settings.testCodes[mail.to] ?? "" : Self.sixDigits()
        let digest = Hex.encode(Hash.digest(Array("\(mail.to)\(code)\(UUIDText.make())".utf8)).prefix(28).map(\.self))
        let hash = flow == nil ? digest : "pkce_\(digest)"
        var record = SupabaseOneTime(
            user: person.id, kind: kind, address: mail.to, code: code, hash: hash, sentAt: now, hasFlow: flow != nil)
        record.isInvitation = mail.type == "invite"
        let key = "\(person.id)/\(kind.rawValue)"
        if let old = oneTimes[key] { hashes[old.hash] = nil }
        oneTimes[key] = record
        hashes[hash] = key
        mark(kind, of: &person)
        if let flow { begin(flow, for: person, method: Self.flowMethod(mail.type)) }
        guard !isTest else { return }
        let hasLink = mail.channel == "email" && kind != .reauthentication
        inbox.add(
            DevServer.SupabaseMessage(
                sequence: 0, to: mail.to, channel: mail.channel, type: mail.type, code: code,
                link: hasLink ? link(hash, type: mail.type, redirect: redirect(call)) : nil,
                tokenHash: hasLink ? hash : nil, sentAt: wall))
    }

    static func sixDigits() -> String {
        let number = SecureRandom.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } % 1_000_000
        return String(String(1_000_000 + number).dropFirst())
    }

    func link(_ hash: String, type: String, redirect: String) -> String {
        base + "/verify?"
            + FormPairs.encode([
                (SupabaseWire.token, hash), (SupabaseWire.type, type), (SupabaseWire.redirectTo, redirect),
            ])
    }

    /// Returns the method that a session from such a mail by PKCE shows.
    static func flowMethod(_ type: String) -> String { type == "signup" ? "email/signup" : type }

    private func lastSent(_ kind: SupabaseOneTime.Kind, of person: SupabasePerson) -> Double? {
        switch kind {
        case .confirmation: person.confirmationSentAt
        case .recovery: person.recoverySentAt
        case .emailChangeOld, .emailChangeNew: person.emailChangeSentAt
        case .phoneChange: person.phoneChangeSentAt
        case .reauthentication: person.reauthenticationSentAt
        }
    }

    private func mark(_ kind: SupabaseOneTime.Kind, of person: inout SupabasePerson) {
        switch kind {
        case .confirmation: person.confirmationSentAt = now
        case .recovery: person.recoverySentAt = now
        case .emailChangeOld, .emailChangeNew: person.emailChangeSentAt = now
        case .phoneChange: person.phoneChangeSentAt = now
        case .reauthentication: person.reauthenticationSentAt = now
        }
    }

    private func checkGap(
        _ kind: SupabaseOneTime.Kind, _ mail: SupabaseMail, of person: SupabasePerson
    ) throws(SupabaseFailure) {
        guard let sent = lastSent(kind, of: person), now < sent + settings.resendGap else { return }
        let left = Int(sent + settings.resendGap - now)
        throw SupabaseFailure(
            429, mail.channel == "email" ? .overEmailSendRateLimit : .overSMSSendRateLimit,
            "For security purposes, you can only request this after \(left) seconds.")
    }

    private mutating func checkQuota(_ mail: SupabaseMail) throws(SupabaseFailure) {
        let isMail = mail.channel == "email"
        if isMail, settings.autoconfirms { return }
        let limit = isMail ? settings.mailsPerHour : settings.messagesPerHour
        guard take(from: isMail ? "mail" : "sms", burst: limit, perSecond: Double(limit) / 3600) else {
            throw isMail
                ? SupabaseFailure(429, .overEmailSendRateLimit, "email rate limit exceeded")
                : SupabaseFailure(429, .overSMSSendRateLimit, "sms rate limit exceeded")
        }
    }

    /// Invalidates a code and its link.
    mutating func void(_ kind: SupabaseOneTime.Kind, of user: String) {
        let key = "\(user)/\(kind.rawValue)"
        if let record = oneTimes[key] { hashes[record.hash] = nil }
        oneTimes[key] = nil
    }
}

extension DevServer {
    /// A mail or an SMS that the dialect sent, which is to say: kept for anybody on this machine to read.
    public struct SupabaseMessage: Hashable, Sendable {
        /// Counts up from 1.
        public var sequence: Int
        /// The address, or the number in digits only.
        public var to: String
        /// `email`, `sms` or `whatsapp`.
        public var channel: String
        /// What it is for, as `POST /verify` calls it: `signup`, `invite`, `magiclink`, `recovery`, `email_change`, `sms`,
        /// `phone_change`; `reauthentication` for a nonce, `factor` for a second factor.
        public var type: String
        /// The six digits.
        public var code: String
        /// The link, in mails that have one.
        public var link: String?
        /// What the link names, for `token_hash`.
        public var tokenHash: String?
    }

    /// One refresh that the dialect decided on.
    public struct SupabaseRefresh: Hashable, Sendable {
        /// The session's identifier.
        public var session: String
        /// The counter of the token that came; of generation 1 always 0.
        public var presented: Int
        /// The counter of the session's newest token, after a rotation the new one.
        public var current: Int
        /// `rotated`, `reused` or an error code.
        public var outcome: String
    }

    /// A session of the dialect.
    public struct SupabaseSessionState: Hashable, Sendable {
        /// Its identifier.
        public var id: String
        /// Whose it is.
        public var user: String
        /// `aal1` or `aal2`.
        public var level: String
        /// The counter of its newest refresh token.
        public var counter: Int
        /// How its person proved who they are, oldest first.
        public var methods: [String]
    }
}

/// The newest messages.
struct SupabaseInbox: Sendable {
    static let capacity = 1_000
    private var kept: [DevServer.SupabaseMessage] = []
    private var total = 0

    /// The newest ones, oldest first.
    var latest: [DevServer.SupabaseMessage] { Array(kept.suffix(Self.capacity)) }

    mutating func add(_ message: DevServer.SupabaseMessage) {
        total += 1
        var message = message
        message.sequence = total
        kept.append(message)
        if kept.count >= 2 * Self.capacity { kept.removeFirst(kept.count - Self.capacity) }
    }
}

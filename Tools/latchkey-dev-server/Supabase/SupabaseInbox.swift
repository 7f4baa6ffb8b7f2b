extension DevServer {
    /// A mail or SMS that the dialect "sent": it is kept in memory, and any program on this machine can read it.
    public struct SupabaseMessage: Hashable, Sendable {
        /// The message's number, from 1.
        public var sequence: Int
        /// The email address, or the phone number in digits only.
        public var to: String
        /// `email`, `sms` or `whatsapp`.
        public var channel: String
        /// The purpose, in the words of `POST /verify`: `signup`, `invite`, `magiclink`, `recovery`,
        /// `email_change`, `sms`, `phone_change`; `reauthentication` for a nonce, `factor` for a second factor. Messages
        /// of the Clerk instance are here too, as `clerk_code` and `clerk_link`.
        public var type: String
        /// The six digits.
        public var code: String
        /// The link, in mails that have one.
        public var link: String?
        /// The token hash in the link, for `token_hash`.
        public var tokenHash: String?
        /// When it was sent, in seconds since 1970 by the server's clock.
        public var sentAt: Double = 0
    }

    /// One refresh that the dialect decided on.
    public struct SupabaseRefresh: Hashable, Sendable {
        /// The ID of the session.
        public var session: String
        /// The counter of the token in the request; always 0 for generation 1.
        public var presented: Int
        /// The counter of the session's newest token; after a rotation, of the new one.
        public var current: Int
        /// `rotated`, `reused` or an error code.
        public var outcome: String
    }

    /// A session of the dialect.
    public struct SupabaseSessionState: Hashable, Sendable {
        /// The ID of the session.
        public var id: String
        /// The ID of its user.
        public var user: String
        /// `aal1` or `aal2`.
        public var level: String
        /// The counter of its newest refresh token.
        public var counter: Int
        /// The methods by which the person has signed in, oldest first.
        public var methods: [String]
    }
}

/// The latest messages.
struct SupabaseInbox: Sendable {
    static let capacity = 1_000
    private var kept: [DevServer.SupabaseMessage] = []
    private var total = 0

    /// The latest messages, oldest first.
    var latest: [DevServer.SupabaseMessage] { Array(kept.suffix(Self.capacity)) }

    mutating func add(_ message: DevServer.SupabaseMessage) {
        total += 1
        var message = message
        message.sequence = total
        kept.append(message)
        if kept.count >= 2 * Self.capacity { kept.removeFirst(kept.count - Self.capacity) }
    }
}

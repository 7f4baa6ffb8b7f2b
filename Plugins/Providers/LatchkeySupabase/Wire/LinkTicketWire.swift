import Latchkey

/// A link with a session in it for which nothing waits, on its way through a sign-in.
struct LinkTicket: Sendable {
    /// The link's address.
    let address: Secret
    /// Whether the app expects an invitation.
    let takesInvite: Bool

    private static let invite = "supabase-invite:"
    private static let stray = "supabase-link:"

    init(_ address: Secret, takesInvite: Bool) {
        self.address = address
        self.takesInvite = takesInvite
    }

    /// What a ticket carries; `nil` for one that is of no link.
    init?(ticket: Secret) {
        let bytes = ticket.reveal()
        for (prefix, takesInvite) in [(Self.invite, true), (Self.stray, false)] where bytes.starts(with: prefix.utf8) {
            self.init(Secret(Array(bytes.dropFirst(prefix.utf8.count))), takesInvite: takesInvite)
            return
        }
        return nil
    }

    /// What carries it through a sign-in.
    var ticket: Secret { Secret(Array((takesInvite ? Self.invite : Self.stray).utf8) + address.reveal()) }
}

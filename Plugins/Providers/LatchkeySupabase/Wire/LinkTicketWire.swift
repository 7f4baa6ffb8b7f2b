import Latchkey

/// A link with a session that no sign-in waits for, on its way through a sign-in of its own.
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

    /// Reads a ticket; `nil` if it does not carry a link.
    init?(ticket: Secret) {
        let bytes = ticket.reveal()
        for (prefix, takesInvite) in [(Self.invite, true), (Self.stray, false)] where bytes.starts(with: prefix.utf8) {
            self.init(Secret(Array(bytes.dropFirst(prefix.utf8.count))), takesInvite: takesInvite)
            return
        }
        return nil
    }

    /// The ticket that carries the link through a sign-in.
    var ticket: Secret { Secret(Array((takesInvite ? Self.invite : Self.stray).utf8) + address.reveal()) }
}

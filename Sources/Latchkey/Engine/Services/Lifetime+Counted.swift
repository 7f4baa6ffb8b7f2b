import FoundationEssentials

// A lifetime is counted from when its request began: an answer may lie for hours in a machine that sleeps, and
// counting from when it was read would hand out an ended token as good.

extension Lifetime {
    /// The same, counted from `begun` if that was before the receipt.
    fileprivate func counted(from begun: MonotonicInstant, in boot: String) -> Lifetime {
        guard boot == self.boot, begun < receivedAt else { return self }
        let earlier = (receivedAt - begun).inSeconds
        return Lifetime(receivedAt: begun, boot: boot, wall: wall.addingTimeInterval(-earlier), lasts: lasts)
    }
}

extension [Audience: AccessToken] {
    fileprivate func counted(from begun: MonotonicInstant, in boot: String) -> Self {
        mapValues { token in
            var token = token
            token.lifetime = token.lifetime?.counted(from: begun, in: boot)
            return token
        }
    }
}

extension AuthSession {
    fileprivate func counted(from begun: MonotonicInstant, in boot: String) -> AuthSession {
        var session = self
        session.tokens = tokens.counted(from: begun, in: boot)
        session.limits?.absolute = limits?.absolute?.counted(from: begun, in: boot)
        session.limits?.idle = limits?.idle?.counted(from: begun, in: boot)
        return session
    }
}

extension CredentialChange {
    /// The same, with the lifetimes that came with it counted from `begun`.
    func counted(from begun: MonotonicInstant, in boot: String) -> CredentialChange {
        var change = self
        change.minted = minted.mapValues { $0.counted(from: begun, in: boot) }
        change.sessions = sessions?.map { $0.counted(from: begun, in: boot) }
        return change
    }
}

extension Turn {
    /// The same, with the lifetimes that came with it counted from `begun`.
    func counted(from begun: MonotonicInstant, in boot: String) -> Turn {
        guard case .signedIn(var grant) = self else { return self }
        grant.sessions = grant.sessions.map { $0.counted(from: begun, in: boot) }
        return .signedIn(grant)
    }
}

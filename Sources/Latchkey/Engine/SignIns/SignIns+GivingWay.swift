extension SignIns {
    /// Signs out of the accounts that give way to `session` of `credential`, which is stored. What cannot be read or
    /// written now is left to the next sign-in. The service is not told where that may end `session`.
    func endThoseGivingWay(to session: AuthSession, on credential: Credential, _ provider: any AuthProvider) async {
        guard let judge = provider as? any SessionsGivingWay else { return }
        try? await reader.restore()
        let binding = provider.rules.binding
        for entry in accounts.table.entries
        where entry.binding == binding && entry.account != session.account && entry.label == nil {
            _ = try? await lanes.with(entry.key) { lane in
                let record = try await lane.read()?.record
                guard let earlier = record?.credential?.sessions.first(where: { $0.account == entry.account }),
                    judge.givesWay(earlier, to: session)
                else { return }
                _ = try await lane.signOut(entry.account, login: entry.login, scope: .thisSession, sparing: credential)
            }
        }
    }
}

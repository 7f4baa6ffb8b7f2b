import Latchkey
import LatchkeyCrypto
import LatchkeyModel

/// How a browser becomes signed in, and ceases to be.
extension WebSignIn {
    /// Brings the cookie and the records in line with who is signed in after a form: a sign-in gets a new cookie, and
    /// a browser without accounts loses its own.
    @MainActor func settle(
        _ holder: Holder, _ visitor: Visitor, _ model: AuthModel, _ response: WebResponse
    ) async throws -> WebResponse {
        switch model.state {
        case .restoring, .unavailable, .locked: return response
        default: break
        }
        let before = holder.record?.accounts ?? []
        let there = Set(model.accounts.map(\.id.value))
        guard model.stage.phase != .succeeded else {
            let person = model.person
            let accounts = before.intersection(there).union(person.map { [$0.id.value] } ?? [])
            let place = try await visitor.pages.way.path()?.text ?? options.home
            model.dismiss()
            guard let person else { return response }
            try await visitor.pages.way.note(nil)
            return try await rotate(holder, accounts, person.id, .redirect(to: place))
        }
        let left = before.intersection(there)
        guard left != before else { return response }
        for gone in before.subtracting(left) { try await records.remove(holder.id, from: AccountID(gone)) }
        try await records.change(holder.id) { record in
            var record = record
            record?.keep(left)
            return left.isEmpty ? nil : record
        }
        guard left.isEmpty else { return response }
        retire(holder.id)
        return leaving(response)
    }

    /// Gives the browser a new cookie. The old one is worth nothing from the commit on.
    private func rotate(
        _ holder: Holder, _ accounts: Set<String>, _ person: AccountID, _ response: WebResponse
    ) async throws -> WebResponse {
        let id = holder.id
        let proof = Secret(context.random(SessionCookie.proofLength))
        let now = records.now
        let record = VisitorRecord(
            hash: Self.hash(proof), at: now, person: person.value, beside: accounts, of: holder.record)
        try await records.change(id) { _ in record }
        await hub.signedIn(id)
        // What remains of it in the list is found by the clean-up.
        if holder.record == nil { try? await records.leave(id) }
        let browser = PersonRecord.Browser(id: id, since: now)
        for oldest in try await records.add(browser, to: person) { try await endBrowser(oldest, person) }
        var response = response
        response.set(cookie: options.setting(.session(id: id, proof: proof), for: options.limits.absolute))
        return response
    }

    /// Takes the browser's cookie away.
    func leaving(_ response: WebResponse) -> WebResponse {
        var response = response
        response.set(cookie: WebSignInOptions.field(options.cookie, "", for: .zero))
        return response
    }

    /// Ends a browser's session because its time is over.
    ///
    /// - Parameter waiting: Whether to return only when it is signed out.
    func end(_ id: String, _ record: VisitorRecord, waiting: Bool = false) async throws {
        try await records.change(id) { _ in nil }
        for account in record.accounts { try await records.remove(id, from: AccountID(account)) }
        if waiting { try await signOut(of: id) } else { retire(id) }
    }

    /// Signs `account` out in another browser. From the commit on, its cookie is worth nothing for that account.
    func endBrowser(_ id: String, _ account: AccountID) async throws {
        let left = try await records.change(id) { record in
            var record = record
            let others = (record?.accounts ?? []).subtracting([account.value])
            record?.keep(others)
            return record?.accounts.isEmpty ?? true ? nil : record
        }
        try await records.remove(id, from: account)
        retire(id, keeping: left?.accounts ?? [])
    }

    /// Signs out every account of the browser but those in `kept`, and tells the services.
    func retire(_ id: String, keeping kept: Set<String> = []) {
        context.start("retire visitor") { [self] in try? await signOut(of: id, keeping: kept) }
    }

    /// Does what ``retire(_:keeping:)`` does, and returns afterwards.
    func signOut(of id: String, keeping kept: Set<String> = []) async throws {
        let isDone = try await hub.alone(id, asGuest: kept.isEmpty) { visitor in
            for account in try await visitor.client.accounts() where !kept.contains(account.id.value) {
                _ = try await visitor.client.signOut(of: account.id)
            }
            // A sign-out that was queued, now or before, is told while the client is open, or by the next clean-up.
            let owed = try await visitor.client.owedRevocationsEnd()
            return kept.isEmpty && owed == nil
        }
        if isDone { await hub.discard(id) }
    }
}

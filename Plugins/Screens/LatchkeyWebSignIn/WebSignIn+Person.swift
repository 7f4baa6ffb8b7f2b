import Latchkey
import LatchkeyModel
import LatchkeyOAuthCore

/// The forms of a person who is signed in.
extension WebSignIn {
    @MainActor func changeAccount(
        _ visit: FormVisit, _ visitor: Visitor, _ model: AuthModel
    ) async throws -> String {
        guard visit.holder.record != nil else { return options.path + "/sign-in" }
        let page = options.path + "/account"
        let named = model.accounts.first { FormVisit.name(of: $0.id.value) == visit.form["account"] }
        switch visit.form["do"] {
        case "sign-out":
            guard let account = named ?? model.person else { return page }
            guard case .failed = await model.signOut(of: account.id) else {
                visitor.pages.flash = "flash.signedOut"
                return model.accounts.isEmpty ? options.path + "/sign-in?said=signedOut" : page
            }
        case "switch":
            if let named { await model.switchTo(named.id) }
        case "stay": await model.staySignedIn()
        case "lock":
            await model.lock()
            return options.path + "/locked"
        case "unlock-on":
            visitor.proof.put(visit.form["proof"].map { Secret($0) })
            await model.setUnlockEnabled(true)
            visitor.proof.put(nil)
        case "unlock-off":
            visitor.proof.put(visit.form["proof"].map { Secret($0) })
            await model.setUnlockEnabled(false)
            visitor.proof.put(nil)
        case "decline-unlock": model.declineUnlockOffer()
        default: break
        }
        return page
    }

    @MainActor func endSessions(_ visit: FormVisit, _ visitor: Visitor, _ model: AuthModel) async throws -> String {
        guard let record = visit.holder.record,
            let person = model.accounts.first(where: { record.accounts.contains($0.id.value) })
        else { return options.path + "/sign-in" }
        let browsers = try await records.browsers(of: person.id)
        switch visit.form["do"] {
        case "end":
            guard let browser = browsers.first(where: { FormVisit.name(of: $0.id) == visit.form["session"] }) else {
                break
            }
            guard browser.id != visitor.id else { return await leave(person, .thisSession, visitor, model) }
            try await endBrowser(browser.id, person.id)
            visitor.pages.flash = "flash.ended"
        case "end-all":
            for browser in browsers where browser.id != visitor.id { try await endBrowser(browser.id, person.id) }
            let isOffered =
                visitor.client.rules[person.provider]?.capabilities.contains(.signOutEverywhere) ?? false
            return await leave(person, isOffered ? .everywhere : .thisSession, visitor, model)
        default: break
        }
        return options.path + "/sessions"
    }

    @MainActor private func leave(
        _ person: Account, _ scope: SignOutScope, _ visitor: Visitor, _ model: AuthModel
    ) async -> String {
        await model.signOut(of: person.id, scope: scope)
        visitor.pages.flash = "flash.signedOut"
        return options.path + (model.accounts.isEmpty ? "/sign-in?said=signedOut" : "/account")
    }

    @MainActor func unlock(_ visit: FormVisit, _ visitor: Visitor, _ model: AuthModel) async -> String {
        switch visit.form["do"] {
        case "unlock":
            visitor.proof.put(visit.form["proof"].map { Secret($0) })
            await model.unlock()
            visitor.proof.put(nil)
        case "start-over": await model.startOver()
        default: break
        }
        let place = visit.form["return"].flatMap(LocalPath.init)?.text ?? options.home
        return model.state == .locked ? options.path + "/locked\(visit.query)" : place
    }
}

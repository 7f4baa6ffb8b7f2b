import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Links an identity in the browser, or removes one.
    mutating func identities(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsLinking else {
            throw SupabaseFailure(404, .manualLinkingDisabled, "Manual linking is disabled")
        }
        let caller = try caller(call)
        guard call.path.count == 3 else { return SupabaseReply.notFound }
        if call.method == "GET", call.path[2] == "authorize" {
            let address = try providerAddress(call, linking: caller.person.id)
            let staysHere = call.query(SupabaseWire.skipHTTPRedirect) == "true"
            return staysHere
                ? SupabaseReply.json(["url": .string(address)]) : SupabaseReply.redirect(address, status: 302)
        }
        guard call.method == "DELETE" else { return SupabaseReply.notFound }
        var person = caller.person
        guard person.identities.count > 1 else {
            throw SupabaseFailure(
                422, .singleIdentityNotDeletable, "User must have at least 1 identity after unlinking")
        }
        guard UUIDText.isValid(call.path[2]) else { throw .validation("identity_id must be an UUID", status: 404) }
        guard let index = person.identities.firstIndex(where: { $0.rowID == call.path[2] }) else {
            throw SupabaseFailure(422, .identityNotFound, "Identity doesn't exist")
        }
        let removed = person.identities.remove(at: index)
        owners["\(removed.provider)/\(removed.subject)"] = nil
        person.listProviders()
        store(person)
        return SupabaseReply.json([:])
    }
}

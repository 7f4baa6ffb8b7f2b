import Latchkey

/// Shows the keys that the hosts of a service present, as the pins of an app name them.
struct KeyCheckups {
    let profile: Profile
    let texts: ToolTexts
    /// Returns the key that the server at a URL presents.
    let key: @Sendable (_ url: String) async throws -> PublicKeyPin

    /// Returns one check for each host that is reached by TLS, in the order of `addresses`.
    ///
    /// - Throws: `CancellationError`.
    func all(of addresses: [String?]) async throws -> [Checkup] {
        var (origins, found) = ([String](), [Checkup]())
        for address in addresses.compactMap({ $0.flatMap { WebAddress($0) } }) where address.scheme == "https" {
            guard !origins.contains(address.origin) else { continue }
            origins.append(address.origin)
            found.append(try await look(at: address))
        }
        return found
    }

    private func look(at address: WebAddress) async throws -> Checkup {
        do {
            let pin = try await key(address.origin + "/")
            return .ok("pin", texts("doctor.pin", ["host": address.host, "pin": pin.base64]))
        } catch let error as TransportError where error.code == .tls {
            var error = error
            error.origin = address.origin
            return .fail("pin", AuthError(error), profile: profile.name, texts)
        } catch is TransportError {
            return .warn("pin", texts("doctor.noPin", ["host": address.host]), remedy: texts("doctor.network"))
        }
    }
}

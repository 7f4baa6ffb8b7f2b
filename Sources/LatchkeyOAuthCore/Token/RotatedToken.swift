package import Latchkey
import LatchkeyJSON

extension TokenAnswer {
    /// Returns the new refresh token of an answer, however wrong the rest of the answer is. `nil` if it brings none.
    ///
    /// The token that was sent is spent once the service has given another one (RFC 6749, section 6), so this one is
    /// kept before anything else is judged. An answer that has an error is no success, whatever else is in it.
    package static func rotatedToken(_ response: TransportResponse) -> Secret? {
        guard (200...299).contains(response.status),
            SalvagedText.find([OAuthWire.error], in: response.body)?.isEmpty ?? true
        else { return nil }
        return SalvagedText.token(at: [OAuthWire.refreshToken], in: response.body).map { Secret($0) }
    }
}

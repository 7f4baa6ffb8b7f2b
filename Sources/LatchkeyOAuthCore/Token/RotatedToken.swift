package import Latchkey

extension TokenAnswer {
    /// Returns the new refresh token of an answer, however wrong the rest of the answer is. `nil` if it brings none.
    ///
    /// The token that was sent is spent once the service has given another one (RFC 6749, section 6), so this one is
    /// kept before anything else is judged. An answer that has an error is no success, whatever else is in it.
    package static func rotatedToken(_ response: TransportResponse) -> Secret? {
        GivenTokens(response).refresh
    }
}

package import Latchkey
import LatchkeyJSON

/// Where an error answer has its code, and which words are one.
enum ErrorCodeWire {
    /// The code with which GoTrue's OAuth server refuses a client's secret.
    static let invalidCredentials = "invalid_credentials"
    static let description = "error_description"
    static let uri = "error_uri"
    private static let errorCode = "error_code"
    private static let errorCodes = "error_codes"
    private static let oldDescription = "msg"

    /// Returns the error code of an answer; `nil` if it has none that a service of RFC 6749 could have written.
    static func code(in body: JSON, _ members: [String]) -> String? {
        let named = members.lazy.compactMap { body[$0]?.string }.first { !$0.isEmpty }
        // GoTrue's OAuth server has a number in `code` and no `error`.
        let numbered = body[OAuthWire.code]?.integer == nil ? nil : body[errorCode]?.string
        guard let code = named ?? numbered, isWord(code) else { return nil }
        // Gateways write the name of the status there; who writes a description speaks OAuth.
        let isStatus = statusNames.contains(code.lowercased().filter { $0 != "_" && $0 != "-" })
        return isStatus && body[description]?.string == nil ? nil : code
    }

    /// Returns the vendor's code in an answer whose registered code says less: `AADSTS50076` of Microsoft Entra, except
    /// those from 90000 to 90999, by which it speaks of trouble of its own.
    static func vendorCode(in body: JSON) -> String? {
        let text = body[description]?.string ?? ""
        let written = text.hasPrefix("AADSTS") ? Int64(text.dropFirst(6).prefix { $0.isNumber }) : nil
        guard let number = body[errorCodes]?.array?.first?.integer ?? written, number > 0,
            !(90_000...90_999).contains(number)
        else { return nil }
        return "AADSTS\(number)"
    }

    /// Returns the service's sentence about its error as it came. It is not for showing.
    static func words(in body: [UInt8]) -> String? {
        (try? JSON.parse(body)).flatMap { body in
            [description, oldDescription].lazy.compactMap { body[$0]?.string }.first
        }
    }

    /// Returns what the service says about its error, without anything that `request` sent.
    static func text(
        in response: TransportResponse, to request: TransportRequest, hiding secrets: [Secret]
    ) -> ServiceText? {
        guard let body = try? JSON.parse(response.body), body.object != nil else { return nil }
        return ServiceText(in: body, [description, oldDescription], address: uri, to: request, hiding: secrets)
    }

    /// Whether a text can be a code: it is shown, so it must look like no token that the service repeats.
    ///
    /// It consists of words with `_-.:` between them. A word has letters, each capital followed by two small letters or
    /// all of them capitals, and may end with up to six digits.
    static func isWord(_ code: String) -> Bool {
        guard (1...64).contains(code.utf8.count) else { return false }
        let words = code.split(omittingEmptySubsequences: false) { "_-.:".contains($0) }
        return words.count <= 8 && words.allSatisfy { isPlain($0.utf8) }
    }

    private static func isPlain(_ word: Substring.UTF8View) -> Bool {
        let bytes = Array(word)
        let letters = bytes.prefix { isSmall($0) || isCapital($0) }
        let digits = bytes.dropFirst(letters.count)
        guard digits.count <= 6, digits.allSatisfy({ (0x30...0x39).contains($0) }), letters.count <= 32 else {
            return false
        }
        if letters.allSatisfy(isCapital) { return letters.count <= 24 && !bytes.isEmpty }
        return letters.indices.allSatisfy { index in
            !isCapital(letters[index]) || letters[(index + 1)...].prefix(2).filter(isSmall).count == 2
        }
    }

    private static func isSmall(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

    private static let statusNames: Set<String> = [
        "badrequest", "unauthorized", "forbidden", "notfound", "methodnotallowed", "notacceptable", "conflict", "gone",
        "toomanyrequests", "ratelimitexceeded", "internalservererror", "notimplemented", "badgateway",
        "serviceunavailable", "gatewaytimeout", "unavailable", "error", "failed", "blocked", "denied", "timeout",
        "true",
    ]
}

extension ServiceText {
    /// Reads `error_description` and `error_uri` of an error answer ([RFC 6749, section
    /// 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)).
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The request: nothing that it sent is shown.
    ///   - authentication: Its secret is not shown either.
    package init?(
        _ response: TransportResponse, to request: TransportRequest, by authentication: ClientAuthentication = .none
    ) {
        guard let text = ErrorCodeWire.text(in: response, to: request, hiding: authentication.secrets) else {
            return nil
        }
        self = text
    }
}

extension ClientAuthentication {
    fileprivate var secrets: [Secret] {
        switch self {
        case .none: []
        case .basic(let secret, encoding: _), .post(let secret): [secret]
        }
    }
}

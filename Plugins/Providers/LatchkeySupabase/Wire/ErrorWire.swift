import Latchkey
import LatchkeyJSON

/// An error answer, in any shape that the service, its older versions and gateways in front of it use.
package struct ErrorAnswer: Sendable {
    package var status: Int
    /// The service's code; `nil` if the answer has none, or one that is not well formed.
    var code: SupabaseErrorCode?
    /// Whether the service itself answered, and not a gateway: proven by a header or by the shape of the body.
    package var isOfService = false
    /// Whether the body is of the shape that the OAuth parts use.
    var isOAuthShape = false
    /// The rules that a password breaks.
    var weaknesses: [String] = []
    /// Whether the gateway refused the key.
    package var keyIsRefused = false
    /// How many seconds to wait, from the message. The header is read elsewhere.
    var seconds: Int64?
    /// The platform's id of the request.
    var requestID: String?
    /// The answer as one that is not the service's.
    var foreign: ForeignAnswer
    /// What the service says to the person.
    var said: ServiceText?

    enum Header {
        static let code = "x-sb-error-code"
        static let version = "X-Supabase-Api-Version"
        static let requestID = "sb-request-id"
    }

    private enum Member {
        static let code = "code"
        static let errorCode = "error_code"
        static let message = "message"
        static let oldMessage = "msg"
        static let error = "error"
        static let description = "error_description"
        static let weakPassword = "weak_password"
        static let reasons = "reasons"
    }

    /// - Parameter request: The request: errors name its origin, and hide what it sent.
    init(_ response: TransportResponse, to request: TransportRequest? = nil) {
        status = response.status
        foreign = ForeignAnswer(response, from: request?.url)
        requestID = response.fields[Header.requestID].flatMap(Self.plain)
        let header = response.fields[Header.code].flatMap(SupabaseErrorCode.init(wire:))
        let body = (try? JSON.parse(response.body)) ?? .null
        let text = body[Member.code]?.string.flatMap(SupabaseErrorCode.init(wire:))
        let older = body[Member.errorCode]?.string.flatMap(SupabaseErrorCode.init(wire:))
        let isNewFormat = response.fields[Header.version] != nil
        let error = body[Member.error]?.string
        if let text, isNewFormat || older == nil { code = text }
        code = code ?? older ?? header ?? error.flatMap(SupabaseErrorCode.init(wire:))
        let hasMessage = body[Member.message]?.string != nil
        let isShaped =
            text != nil && hasMessage && isNewFormat
            || body[Member.code]?.integer != nil && body[Member.oldMessage]?.string != nil
        let isWord = error.flatMap(SupabaseErrorCode.init(wire:)) != nil
        // Some refusals say words in place of a code, and then describe them.
        isOAuthShape =
            (isWord || body[Member.description]?.string != nil) && error != nil && !hasMessage
            && response.fields[Header.code] == nil && status == 400
        // In this shape `error` is the code, whatever other members say.
        if isOAuthShape { code = error.flatMap(SupabaseErrorCode.init(wire:)) }
        isOfService = header != nil || isShaped || isOAuthShape
        weaknesses =
            body[Member.weakPassword]?[Member.reasons]?.array?.compactMap { $0.string.flatMap(Self.plain) } ?? []
        let names = [Member.oldMessage, Member.message, Member.description]
        if isOfService { said = ServiceText(in: body, names, to: request) }
        let message =
            (names + [Member.error]).lazy.compactMap { body[$0]?.string }.first ?? ""
        keyIsRefused =
            !isOfService && (status == 401 || status == 403)
            && (Self.speaksOfKey(message) || Self.isRefusalByKey(response, body, message))
        seconds = Self.seconds(in: message)
    }

    /// Reads the number in "… after N seconds", which only the message carries.
    private static func seconds(in message: String) -> Int64? {
        let words = message.prefix(500).split(separator: " ")
        guard let unit = words.firstIndex(where: { $0.hasPrefix("second") }), unit > words.startIndex else {
            return nil
        }
        return Int64(words[unit - 1]).flatMap { (0...86_400).contains($0) ? $0 : nil }
    }

    private static func speaksOfKey(_ message: String) -> Bool {
        let words = message.prefix(500).lowercased()
        return words.contains("api key") || words.contains("apikey")
    }

    /// Whether Kong's plugin for keys refused, which is in front of self-hosted projects. Its older versions say "Invalid
    /// authentication credentials" and its newer ones "Unauthorized", about the key alone.
    private static func isRefusalByKey(_ response: TransportResponse, _ body: JSON, _ message: String) -> Bool {
        guard response.status == 401, body.object != nil else { return false }
        let wants = response.fields["WWW-Authenticate"]?.lowercased()
        if let wants { return wants.hasPrefix("key") }
        if message == "Invalid authentication credentials" { return true }
        // Other gateways say this word too, about what they want of their own.
        return message == "Unauthorized" && isOfKong(response)
    }

    private static func isOfKong(_ response: TransportResponse) -> Bool {
        response.fields["Server"]?.lowercased().hasPrefix("kong") == true
            || response.fields.lines.contains { $0.name.lowercased().hasPrefix("x-kong-") }
    }

    /// Returns `text` if it is a word of the protocol: no other text is passed on.
    private static func plain(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                || $0 == 0x5F
        }
        return isPlain && (1...64).contains(text.utf8.count) ? text : nil
    }
}

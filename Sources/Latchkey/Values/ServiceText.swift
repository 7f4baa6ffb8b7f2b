public import LatchkeyJSON

/// What a service says about its refusal, in its own words: `error_description` and `error_uri` of RFC 6749, or what
/// the service has in their place.
///
/// It is for the person, marked as the service's: ``text(in:)``. It is not trusted, and it may name the person, so keep
/// it out of logs and metrics; its own description is a fixed text.
public struct ServiceText: Hashable, Sendable {
    /// The most characters of ``words`` and of ``address``.
    public static let limit = 300

    /// The sentence, on one line, without characters that control a terminal, are invisible, or turn the direction of
    /// what follows. Cut after ``limit`` characters.
    public let words: String?
    /// An https address with more about it.
    public let address: String?

    /// Cleans a service's sentence and address.
    ///
    /// - Parameters:
    ///   - words: The sentence as it came. Left out if it contains a secret, or a long opaque word that may be one.
    ///   - address: The address as it came. Left out for the same reasons, and if it is not https.
    ///   - secrets: What must not be shown, nor ten letters or digits in a row of one that has twenty or more.
    /// - Returns: `nil` if nothing is left.
    public init?(_ words: String?, address: String? = nil, hiding secrets: [String] = []) {
        let search = SecretSearch(secrets)
        let isShown = { (text: String) in
            !text.isEmpty && !text.holdsOpaqueWord && !search.finds(in: text)
        }
        let whole = words.map { Self.clean($0) }.flatMap { isShown($0) ? $0 : nil }
        self.words = whole.map { $0.count > Self.limit ? "\($0.prefix(Self.limit))…" : $0 }
        self.address = address.flatMap { text in
            let isPlain = text.utf8.count <= Self.limit && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isPlain, let found = WebAddress(text), found.scheme == "https", isShown(text) else { return nil }
            return text
        }
        if self.words == nil, self.address == nil { return nil }
    }

    /// Reads the members of an error answer.
    ///
    /// - Parameters:
    ///   - body: The body of the answer.
    ///   - names: The members that may hold the sentence; the first one that is a text counts.
    ///   - address: The member that may hold the address.
    ///   - request: The request: nothing that it sent is shown.
    ///   - more: Further secrets, such as the client's.
    public init?(
        in body: JSON, _ names: [String], address: String? = nil, to request: TransportRequest?,
        hiding more: [Secret] = []
    ) {
        let came = body.object.map { $0.filter { $0.key.hasSuffix("_token") }.values.compactMap(\.string) } ?? []
        self.init(
            names.lazy.compactMap { body[$0]?.string }.first { !$0.isEmpty },
            address: address.flatMap { body[$0]?.string },
            hiding: came + (request?.contents ?? []) + more.map { $0.revealText() })
    }

    /// Cleans a service's sentence that is no member of a JSON answer.
    ///
    /// - Parameters:
    ///   - words: The sentence as it came.
    ///   - request: The request: nothing that it sent is shown, nor a long part of it.
    ///   - more: Further secrets, such as a token that an earlier request sent.
    public init?(_ words: String?, to request: TransportRequest, hiding more: [Secret] = []) {
        self.init(words, hiding: request.contents + more.map { $0.revealText() })
    }

    private static func clean(_ text: String) -> String {
        var words: [String] = [""]
        for scalar in text.unicodeScalars.prefix(4 * limit) {
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator: words.append("")
            case .control where [0x09, 0x0A, 0x0D].contains(scalar.value): words.append("")
            case .control, .format, .surrogate, .privateUse, .unassigned: continue
            default: words[words.count - 1].unicodeScalars.append(scalar)
            }
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension ServiceText {
    /// Returns the text for a person, marked as the service's words, without a full stop.
    public func text(in language: TextLanguage = .system) -> String {
        let said = words.map { Self.texts.text("says", in: language, ["words": $0]) }
        let more = address.map { Self.texts.text("more", in: language, ["address": $0]) }
        return [said, more].compactMap { $0 }.joined(separator: " ")
    }

    static let texts = TextTable([
        "says": [.english: "The service says: “{words}”", .french: "Le service dit : « {words} »"],
        "more": [.english: "It names {address}", .french: "Il renvoie à {address}"],
    ])
}

extension ServiceText: CustomStringConvertible, CustomReflectable {
    /// A fixed text without content.
    public var description: String { "text of the service" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// Whether one of the words may be a token: long, with digits, and no UUID, as services name their requests by.
    fileprivate var holdsOpaqueWord: Bool {
        split { !($0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_") }.contains { word in
            let isUUID = word.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12]
            return word.utf8.count >= 48 || word.hasPrefix("eyJ")
                || word.utf8.count >= 20 && !isUUID && word.contains(where: \.isNumber)
        }
    }
}

extension TransportRequest {
    /// The names of members whose values are words of the protocol, and so no secret.
    private static let open: Set<String> = [
        "grant_type", "client_id", "scope", "redirect_uri", "resource", "audience", "token_type_hint", "strategy",
        "AuthFlow", "ClientId", "ChallengeName", "Action", "Version", "RoleArn", "RoleSessionName", "DurationSeconds",
    ]

    /// The texts that the request carries and that may be secret: the values of its form or JSON, and its credentials.
    package var contents: [String] {
        let own = fields.all("Authorization").flatMap { $0.split(separator: " ").dropFirst().map(String.init) }
        guard let body, !body.isEmpty else { return own }
        if body.first == UInt8(ascii: "{") { return own + ((try? JSON.parse(body)).map { Self.texts(in: $0) } ?? []) }
        return own
            + body.split(separator: UInt8(ascii: "&")).compactMap { pair in
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !Self.open.contains(String(decoding: parts[0], as: UTF8.self)) else {
                    return nil
                }
                return Self.decoded(parts[1])
            }
    }

    private static func texts(in json: JSON) -> [String] {
        switch json {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let members): members.filter { !open.contains($0.key) }.values.flatMap(texts)
        default: []
        }
    }

    /// Decodes a value of a form.
    private static func decoded(_ value: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var index = value.startIndex
        while index < value.endIndex {
            let next = value.index(after: index)
            if value[index] == UInt8(ascii: "%"), next + 1 < value.endIndex,
                let byte = UInt8(String(decoding: value[next...next + 1], as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                index = next + 2
            } else {
                bytes.append(value[index] == UInt8(ascii: "+") ? 0x20 : value[index])
                index = next
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

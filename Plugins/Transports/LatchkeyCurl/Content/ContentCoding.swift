import Latchkey

/// Why a compressed body cannot be used.
enum ContentError: Error {
    /// It is cut, or its bytes are not those that were compressed.
    case damaged
    /// It would have more bytes than the transport accepts.
    case tooLarge

    /// The error as the caller sees it. The answer came, so the request was sent.
    var transportError: TransportError {
        switch self {
        case .damaged: TransportError(.interrupted, wasSent: true, cause: .compressionDamaged)
        case .tooLarge: TransportError(.tooLarge, wasSent: true, cause: .compressionTooLarge)
        }
    }
}

/// Undoes the content codings of an answer ([RFC 9110, section
/// 8.4](https://www.rfc-editor.org/rfc/rfc9110#section-8.4)).
enum ContentCoding {
    /// What is asked for.
    static let wanted = "gzip"
    /// The most codings that are undone; no real answer has more than one.
    private static let most = 3

    /// Decodes the body, and removes the fields that were about the compressed one. An answer with a coding that is not
    /// known stays as it is.
    ///
    /// - Parameter cap: The most bytes of the body, counted after decoding.
    static func undo(_ response: TransportResponse, cap: Int) throws(TransportError) -> TransportResponse {
        let names = response.fields.all(field).flatMap { $0.split(separator: ",") }.map { name in
            name.filter { $0 != " " && $0 != "\t" }.lowercased()
        }.filter { !$0.isEmpty }
        guard !names.isEmpty, names.count <= most, case let codings = names.compactMap(Coding.init(rawValue:)),
            codings.count == names.count
        else { return response }
        var response = response
        do throws(ContentError) {
            for coding in codings.reversed() where !response.body.isEmpty {
                response.body = try coding.decode(response.body, cap: cap)
            }
        } catch {
            throw error.transportError
        }
        response.fields[field] = nil
        response.fields["Content-Length"] = nil
        return response
    }

    private static let field = "Content-Encoding"

    private enum Coding: String {
        case gzip
        case oldGzip = "x-gzip"
        case deflate
        case identity

        func decode(_ bytes: [UInt8], cap: Int) throws(ContentError) -> [UInt8] {
            switch self {
            case .gzip, .oldGzip:
                // Some proxies decompress an answer and leave the field in place.
                CompressedBody.isGzip(bytes) ? try CompressedBody.gunzip(bytes, cap: cap) : bytes
            case .deflate: try CompressedBody.inflate(bytes, cap: cap)
            case .identity: bytes
            }
        }
    }
}

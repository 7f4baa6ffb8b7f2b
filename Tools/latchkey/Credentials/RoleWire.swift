import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// The words of AWS STS for AssumeRoleWithWebIdentity, and of `credential_process`.
///
/// Sources, read on 2026-11-25:
/// <https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html>,
/// <https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html>.
enum RoleWire {
    /// The request's body. The token is what proves who asks: the request has no signature.
    static func body(role: String, session: String, seconds: Int64?, token: Secret) -> [UInt8] {
        var pairs = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", session), ("WebIdentityToken", token.revealText()),
        ]
        if let seconds { pairs.append(("DurationSeconds", "\(seconds)")) }
        return Array(
            pairs.map { "\(FormEncoding.encode($0.0))=\(FormEncoding.encode($0.1))" }.joined(separator: "&").utf8)
    }

    /// Returns what the AWS programs read, from an answer with a role; `nil` if it is none.
    static func credentials(_ answer: [UInt8]) -> [UInt8]? {
        guard let document = StrictXML(answer), document.name == "AssumeRoleWithWebIdentityResponse",
            let found = document["AssumeRoleWithWebIdentityResult"]?["Credentials"],
            let key = plain(found, "AccessKeyId"), let secret = plain(found, "SecretAccessKey"),
            let session = plain(found, "SessionToken"), let end = plain(found, "Expiration"),
            (try? Date(end, strategy: .iso8601)) != nil
        else { return nil }
        let object: JSON = [
            "Version": .integer(1), "AccessKeyId": .string(key), "SecretAccessKey": .string(secret),
            "SessionToken": .string(session), "Expiration": .string(end),
        ]
        return object.serialized()
    }

    /// Returns code and message of an answer that refuses; `nil` if it says neither.
    static func refusal(_ answer: [UInt8]) -> (code: String, message: String)? {
        guard let error = StrictXML(answer).flatMap({ $0.name == "ErrorResponse" ? $0["Error"] : nil }),
            let code = error["Code"]?.text, (1...64).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2E })
        else { return nil }
        return (code, error["Message"]?.text ?? "")
    }

    /// A value that fits into one line.
    private static func plain(_ parent: StrictXML, _ name: String) -> String? {
        guard let element = parent[name], element.elements.isEmpty, !element.text.isEmpty,
            element.text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return element.text
    }
}

import LatchkeyCrypto
@testable import LatchkeyJSON
@testable import LatchkeyOAuthCore

extension FuzzTarget {
    /// A signed token. Only tokens that the owners of the keys have signed may be accepted.
    ///
    /// An input is a token in compact form; or three lines, the header, the payload and the signature, of which the
    /// first two get encoded. As the signature, `=0` to `=3` stand for those of the known tokens.
    static let jwt = FuzzTarget(name: "jwt", longest: 2_048) { bytes throws(Disagreement) in
        let compact = JWTInput.compact(bytes)
        let all = Set(SignatureAlgorithm.allCases)
        let ways: [(JSONWebKeySet, Set<SignatureAlgorithm>)] = [
            (KnownTokens.keys, all), (KnownTokens.firstKey, [.rs256]), (KnownTokens.firstKey, all),
        ]
        for (keys, allowed) in ways {
            let outcome = try Canary.outcome { () throws(JOSEError) in
                try JSONWebSignature.verify(compact: compact, keys: keys, allowed: allowed)
            }
            guard case .success(let signed) = outcome else { continue }
            try demandKnown(compact)
            try demand(
                allowed.contains { $0.rawValue.utf8.elementsEqual(signed.header.algorithm.utf8) },
                "an algorithm is taken that is not allowed")
            let claims = try Canary.outcome { () throws(JOSEError) in try signed.claims() }
            try Canary.demandHidden(claims)
        }
    }

    /// Checks that content and signature are known. Only with ECDSA can others make a second signature from a
    /// first.
    static func demandKnown(_ compact: [UInt8]) throws(Disagreement) {
        for known in KnownTokens.all.map({ Array($0.utf8) }) where known == compact { return }
        let signed = { (token: [UInt8]) in Array(token.prefix((token.lastIndex(of: UInt8(ascii: ".")) ?? 0) + 1)) }
        let ec = Array(KnownTokens.all[2].utf8)
        try demand(signed(compact) == signed(ec) && compact.count == ec.count, "a forged token is accepted")
    }
}

/// Reads tokens in the format of inputs.
enum JWTInput {
    static func compact(_ bytes: [UInt8]) -> [UInt8] {
        let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        guard lines.count == 3 else { return bytes }
        return Array("\(Base64URL.encode(lines[0])).\(Base64URL.encode(lines[1])).".utf8) + signature(lines[2])
    }

    private static func signature(_ line: [UInt8]) -> [UInt8] {
        guard line.count == 2, line[0] == UInt8(ascii: "="), case let index = Int(line[1] & 3) else {
            return Array(Base64URL.encode(line).utf8)
        }
        return Array((KnownTokens.all[index].split(separator: ".").last ?? "").utf8)
    }
}

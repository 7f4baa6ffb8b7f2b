import Latchkey
@testable import LatchkeyCurl

extension FuzzTarget {
    /// A request with parts from outside. libcurl must get exactly one request, and no other host.
    ///
    /// An input is a line with the method, a line with the address, lines with fields, an empty line, the body.
    static let requestHead = FuzzTarget(name: "request-head", longest: 1_024) { bytes throws(Disagreement) in
        let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        guard lines.count == 3 else { return }
        let rest = HostileAnswer(Array("200\n".utf8) + lines[2]).response
        let request = TransportRequest(
            String(decoding: lines[0], as: UTF8.self), String(decoding: lines[1], as: UTF8.self), fields: rest.fields,
            body: rest.body.isEmpty ? nil : rest.body)
        let outcome = try Canary.outcome { () throws(TransportError) in try CurlRequestHead(request, CurlTargets()) }
        guard case .success(let head) = outcome else { return }
        for line in head.lines + [head.method, head.target.url] {
            try demand(!line.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "a line would become two")
        }
        try demand(
            head.target.url.utf8.elementsEqual(lines[1]) && head.target.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
            "another address is visited")
        let scheme = Bytes.lowercased(head.target.url.utf8.prefix { $0 != UInt8(ascii: ":") })
        try demand(scheme == Array((head.target.isTLS ? "https" : "http").utf8), "another scheme is spoken")
        try demand(!Bytes.contains(authority(head.target.url), [UInt8(ascii: "@")]), "an address carries a password")
        for line in head.lines.dropFirst() {
            let name = Bytes.lowercased(line.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") })
            try demand(!refused.contains(name), "a field is sent that belongs to libcurl")
        }
    }

    private static let refused = ["content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"]
        .map { Array($0.utf8) }

    private static func authority(_ url: String) -> [UInt8] {
        let rest = url.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        return Array(rest.prefix { !"/?#".utf8.contains($0) })
    }
}

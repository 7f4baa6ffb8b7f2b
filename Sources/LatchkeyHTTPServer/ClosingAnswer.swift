#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An answer that is written to the socket itself, past the daemon, and is the connection's last.
enum ClosingAnswer {
    private static let text = "The request was refused.\n"

    /// Sends a refusal, and lets nothing follow it: what the daemon writes afterwards fails, and it closes the connection.
    static func end(_ descriptor: Int32, with status: Int) {
        let reason = status == 413 ? "Content Too Large" : "Bad Request"
        let head = """
            HTTP/1.1 \(status) \(reason)\r\nDate: \(date())\r\nContent-Type: text/plain; charset=utf-8\r\n\
            Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n
            """
        let bytes = Array((head + text).utf8)
        // An answer this short fits a socket's buffer, unless the client reads none of its earlier ones.
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        shutdown(descriptor, Int32(SHUT_WR))
        // What is not read when the socket is closed would take the answer from the client (RFC 9112, section 9.6).
        var rest = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        while count < 1 << 16 {
            let read = rest.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
            guard read > 0 else { return }
            count += read
        }
    }

    /// The present time, as RFC 9110, section 5.6.7, writes it.
    private static func date() -> String {
        var (now, parts) = (time(nil), tm())
        gmtime_r(&now, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
        let month = months[Int(parts.tm_mon)]
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(month) \(1_900 + parts.tm_year) \(clock) GMT"
    }

    #if canImport(Darwin)
        private static let flags = Int32(MSG_DONTWAIT)
    #else
        private static let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    #endif
}

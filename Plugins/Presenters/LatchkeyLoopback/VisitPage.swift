import FoundationEssentials
public import Latchkey
import LatchkeySystem

/// Passes an address to a browser in a private file. For apps that cannot use a listener, because their redirects
/// come to their own URL scheme.
///
/// Every user of the machine can read the arguments of a program, and the address of a visit is enough to take part
/// in it. So the browser is started with a local page, a file of mode 0600 in a new directory of mode 0700. The
/// page forwards to the service without a script and without a referrer.
///
/// Call ``remove()`` when the visit ends. The file is also removed with the last reference.
///
/// A sandboxed browser (a snap, a flatpak) may not be able to read the file. To support those, use
/// ``LoopbackPresenter``.
public final class VisitPage: Sendable {
    /// The page's own address, `file:///…`. It contains nothing of the visit.
    public let address: String
    private static let name = "visit.html"
    private let directory: String
    private let folder: TrustedDirectory
    private let files: any FileAccess
    private let browser: Browser
    private let isRemoved = Locked(false)

    /// Writes the page into `$XDG_RUNTIME_DIR`, `$TMPDIR` or `/tmp`.
    ///
    /// - Parameters:
    ///   - url: The address to visit, `http` or `https`.
    ///   - context: Files and randomness. Default: the system.
    /// - Throws: ``/Latchkey/AuthError``: `configuration(.invalid)` when `url` is not a web address,
    ///   `store(.insecurePermissions)` when others could replace the page, another `store` code when it cannot be
    ///   written.
    public convenience init(to url: String, context: PluginContext = .system) throws(AuthError) {
        try self.init(
            to: url, environment: ProcessInfo.processInfo.environment, context: context, browser: .system)
    }

    init(
        to url: String, environment: [String: String], context: PluginContext, browser: Browser
    ) throws(AuthError) {
        guard let web = WebAddress(url), ["https", "http"].contains(web.scheme),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw AuthError(.configuration(.invalid), "The address to visit is not a web address.") }
        let place = ["XDG_RUNTIME_DIR", "TMPDIR"].lazy.compactMap { environment[$0] }.first { $0.hasPrefix("/") }
        let directory = "\(place ?? "/tmp")/latchkey-\(context.randomName())"
        address = "file://\(Self.escaped(path: "\(directory)/\(Self.name)"))"
        self.browser = browser
        do {
            folder = try TrustedDirectory.make(directory, .own, in: context.files)
            try folder.files.writeNew(Self.name, Array(Self.page(url).utf8))
        } catch let error as FileError {
            throw AuthError(error)
        } catch let error as AuthError {
            throw error
        } catch {
            throw AuthError(.store(.unavailable), "The page of the visit cannot be written.")
        }
        self.directory = directory
        files = context.files
    }

    deinit { remove() }

    /// Starts the browser with the page's address.
    ///
    /// - Parameter failed: Runs later, on another thread, if the program that was started ends with a failure.
    /// - Returns: Whether a program was started.
    public func open(failed: @escaping @Sendable () -> Void = {}) -> Bool {
        browser.open(address, failed: failed)
    }

    /// Removes the page. Calling it again does nothing.
    public func remove() {
        let isFirst = isRemoved.withLock { isRemoved in
            defer { isRemoved = true }
            return !isRemoved
        }
        guard isFirst else { return }
        // In the directory that was made, even if its path leads elsewhere by now.
        try? folder.files.remove(Self.name)
        try? files.removeDirectory(directory)
    }

    private static func page(_ url: String) -> String {
        let shown = String(decoding: url.utf8.flatMap { escaped($0) }, as: UTF8.self)
        // A file gets no word of what the browser prefers, so its language is that of this process.
        let (table, language) = (LoopbackTexts.table, TextLanguage.system)
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)"><head><meta charset="utf-8">
            <title>\(table.text("visit.title", in: language))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'">
            <meta http-equiv="refresh" content="0;url=\(shown)"></head>
            <body><p><a rel="noreferrer" href="\(shown)">\(table.text("visit", in: language))</a></p></body></html>

            """
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            Array("&#\(byte);".utf8)
        default: [byte]
        }
    }

    private static func escaped(path: String) -> String {
        let plain = Set("/-._~".utf8)
        let hex = Array("0123456789ABCDEF".utf8)
        let bytes = path.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: [byte]
            default: plain.contains(byte) ? [byte] : [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

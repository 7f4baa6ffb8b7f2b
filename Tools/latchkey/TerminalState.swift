import LatchkeyTerminal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The terminal's settings from the start of the program, to restore them whatever happens to a hidden prompt.
enum TerminalState {
    private static let saved: (file: Int32, settings: [UInt8])? = {
        for file: Int32 in [0, 2, 1] {
            if let settings = read(file) { return (file, settings) }
        }
        return nil
    }()

    /// Remembers the settings. Call it before anything may change them.
    static func save() { _ = saved }

    /// Restores the settings if they differ. In the background they are those of what runs in front.
    static func restore() {
        guard let saved, TerminalFront.isHeld(saved.file), let current = read(saved.file), current != saved.settings
        else { return }
        var settings = termios()
        withUnsafeMutableBytes(of: &settings) { $0.copyBytes(from: saved.settings) }
        tcsetattr(saved.file, TCSANOW, &settings)
    }

    private static func read(_ file: Int32) -> [UInt8]? {
        var settings = termios()
        guard tcgetattr(file, &settings) == 0 else { return nil }
        return withUnsafeBytes(of: settings) { Array($0) }
    }
}

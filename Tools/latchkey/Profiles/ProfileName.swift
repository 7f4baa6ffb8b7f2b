/// The rule for names of profiles, which become names of files.
enum ProfileName {
    /// Whether `name` is 1 to 64 ASCII letters, digits, `.`, `_` or `-`, the first a letter or digit.
    static func isValid(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count), let first = name.utf8.first, isAlphanumeric(first) else {
            return false
        }
        return name.utf8.allSatisfy { isAlphanumeric($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

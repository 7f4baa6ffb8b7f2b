/// A C library that is loaded when it is first needed, and is not installed or cannot be loaded.
package struct MissingLibrary: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file that the dynamic loader looks for.
    package let file: String
    /// The Debian package that has it.
    package let package: String
    /// What the loader says of it, if it is there and cannot be loaded; `nil` if it is not installed.
    package let refusal: String?

    package init(_ file: String, package: String, refusal: UnsafePointer<CChar>?) {
        (self.file, self.package) = (file, package)
        self.refusal = refusal.map { String(cString: $0) }
    }

    package var description: String {
        guard let refusal else {
            return "The library \(file) is not installed: it is in the Debian package \(package)."
        }
        return "The library \(file) of the Debian package \(package) cannot be loaded: \(refusal)."
    }
}

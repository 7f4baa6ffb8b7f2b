/// A C library that is loaded when it is first needed, and is not installed.
package struct MissingLibrary: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file that the dynamic loader looks for.
    package let file: String
    /// The Debian package that has it.
    package let package: String

    package init(_ file: String, package: String) { (self.file, self.package) = (file, package) }

    package var description: String {
        "The library \(file) is not installed, or cannot be loaded: it is in the Debian package \(package)."
    }
}

/// The commands that mend what the project has made: its own folders and the files in them.
///
/// No other place names a command that changes an owner or a mode. What lies outside those folders belongs to the person or
/// the system, and such a command there may lock a home, or give a folder of the system away.
package enum OwnFileRemedy {
    /// Returns the command that closes a folder or file of the project's own to others.
    package static func closing(_ path: String, _ kind: FileStatus.Kind) -> String {
        "chmod \(kind == .directory ? "700" : "600") \(quoted(path))"
    }

    /// Returns the same as the end of a sentence.
    package static func close(_ path: String, _ kind: FileStatus.Kind) -> String { "\(closing(path, kind)) closes it" }

    /// Returns how to take back what a command that was run as root has made.
    static func takeBack(_ path: String) -> String { "sudo chown -R \"$(id -u)\" \(quoted(path)) takes it back" }

    /// Returns the path as a shell reads it.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-_./:=@%+,".utf8.contains(byte)
        }
        let parts = path.split(separator: "'", omittingEmptySubsequences: false)
        return isPlain ? path : "'" + parts.joined(separator: #"'\''"#) + "'"
    }
}

extension FileStatus {
    /// What is wrong with a file of somebody else in a folder of the project's own. What belongs to root comes from a command
    /// that was run as root, and can be taken back; what another user has put there is not to be trusted.
    package func foreignOwner(at path: String) -> String {
        owner == 0
            ? "belongs to root; \(OwnFileRemedy.takeBack(path))" : "belongs to another user (\(owner))"
    }
}

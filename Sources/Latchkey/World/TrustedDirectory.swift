/// An opened directory that no other user of the machine can take away, replace or change on the way to it.
///
/// It is reached from the root, one directory after the other, each opened in the one before and judged by what was
/// opened: nothing can be put in its place between the look and the use. Each directory on the way
///
/// - belongs to root or to the user this process runs as (its effective user), and
/// - is writable by nobody else, unless it is sticky, as `/tmp` is.
///
/// Symbolic links on the way are followed when they are root's or this user's, up to 40; the directories that they lead
/// through are judged in the same way. Where a directory has an access control list, the group's bits of its mode are the
/// list's mask, the most that anybody named in the list may do: a list that lets somebody write is refused as well.
///
/// ```swift
/// guard let place = try TrustedDirectory.open("/home/ada/.local/share/notes", .own, in: context.files) else { return nil }
/// return try place.files.read("sessions.json", limit: 1 << 20)
/// ```
public struct TrustedDirectory: Sendable {
    /// What is demanded of the directory itself.
    public enum Demand: Sendable {
        /// It is this user's alone: mode 0700 or less, and no link.
        case own
        /// As of each directory above it: root's or this user's, and writable by nobody else unless sticky. It may be a
        /// link.
        case sound
    }

    struct Step: Sendable {
        var path: String
        var files: any FileAccess
        var status: FileStatus
    }

    /// From the root to the directory, all links resolved.
    private let steps: [Step]

    init(steps: [Step]) { self.steps = steps }

    /// Where it is, all links resolved.
    public var path: String { steps[steps.count - 1].path }

    /// The files in it, by their names; `.` is the directory itself. They stay those of this very directory, wherever its
    /// name goes, so open it anew for each use of a longer life.
    public var files: any FileAccess { steps[steps.count - 1].files }

    /// What it was when it was opened.
    public var status: FileStatus { steps[steps.count - 1].status }

    /// The directory at `path`; `nil` when it is absent, and those above it are sound as far as they exist.
    ///
    /// - Parameters:
    ///   - path: An absolute path. It may climb (`..`) for ``Demand/sound`` alone.
    ///   - demand: What is demanded of the directory itself.
    ///   - files: The disk.
    /// - Throws: ``AuthError`` `store(.insecurePermissions)`, naming the path at fault and the command that mends it;
    ///   `configuration(.invalid)` for a path of another form; `store(.unavailable)` when the disk fails.
    public static func open(_ path: String, _ demand: Demand, in files: any FileAccess) throws -> TrustedDirectory? {
        try DirectoryWalk(files, makes: false).walk(to: path, demand)
    }

    /// The directory at `path`. It is made when it is absent, and so are those above it, each with mode 0700.
    ///
    /// - Throws: As ``open(_:_:in:)`` does; also ``AuthError`` `store(.readOnly)` and `store(.full)`.
    public static func make(_ path: String, _ demand: Demand, in files: any FileAccess) throws -> TrustedDirectory {
        guard let made = try DirectoryWalk(files, makes: true).walk(to: path, demand) else {
            throw AuthError(.store(.unavailable), "\(path) has disappeared")
        }
        return made
    }

    /// Makes the names of the directory, and of this user's directories above it, durable: this process or one that
    /// died may have made them.
    ///
    /// - Throws: ``AuthError`` with a `store` code when the disk fails.
    public func syncParents() throws {
        for step in steps.dropLast().reversed() where step.status.isOwn {
            do {
                try step.files.syncDirectory(".")
            } catch FileError.denied {
                // A directory that this user may not read is not one that it made.
                return
            } catch let error as FileError {
                throw AuthError.disk(error, .write, at: step.path)
            }
        }
    }
}

/// An opened directory that no other user of the machine can remove, replace or change on the way to it.
///
/// It is reached from the root. Each directory is opened inside the previous one and judged after
/// opening, so nothing can be put in its place between the check and the use. Each directory on the way
///
/// - belongs to root or to the user this process runs as (its effective user), and
/// - is writable by nobody else, unless it is sticky, as `/tmp` is.
///
/// A group whose only member is this user (root aside) counts as this user, as far as the machine's own files say who is in
/// it. Where a directory above lets no other user in, as a home of mode 0700 does, the modes below it do not matter, up to the
/// next mount: others could reach what is mounted there another way. (A process of theirs that went in before the directory
/// was closed stays inside.) ``SystemFiles/init(unsafelyAccepting:)`` is for a place that cannot be closed.
///
/// Symbolic links on the way are followed if they belong to root or to this user, up to 40 of them;
/// the directories they lead through are judged in the same way. If a directory has an access
/// control list, the group bits of its mode are the list's mask, the most that anybody named in the
/// list may do. So a list that lets another user write is refused as well.
///
/// ```swift
/// guard let place = try TrustedDirectory.open("/home/ada/.local/share/notes", .own, in: context.files) else { return nil }
/// return try place.files.read("sessions.json", limit: 1 << 20)
/// ```
public struct TrustedDirectory: Sendable {
    /// What the directory itself must fulfil.
    public enum Demand: Sendable {
        /// It is for this user alone: mode 0700 or less, and not a link.
        case own
        /// The same as for the directories above it: it belongs to root or this user, and is
        /// writable by nobody else unless sticky. It may be a link.
        case sound
    }

    struct Step: Sendable {
        var path: String
        var files: any FileAccess
        var status: FileStatus

        /// Whether only this user is in the group that the directory belongs to.
        var isGroupPrivate: Bool { (files as? any GroupKnowing)?.isGroupPrivate ?? false }

        /// Whether only this user and root can enter. Its owner is one of them: others are refused.
        var isClosed: Bool {
            status.mode & 0o011 == 0 || (status.mode & 0o001 == 0 && isGroupPrivate)
        }
    }

    /// The directories from the root to this one, with all links resolved.
    private let steps: [Step]

    init(steps: [Step]) { self.steps = steps }

    /// Whether only this user and root can get to the last of `steps`, and from there on to what is on `device`.
    static func isEnclosed(_ steps: [Step], on device: UInt64) -> Bool {
        // What is mounted below may be mounted elsewhere too.
        steps.reversed().prefix { $0.status.device == device }.contains(where: \.isClosed)
    }

    /// Whether only this user and root can get to what is in the directory.
    package var isEnclosed: Bool { Self.isEnclosed(steps, on: status.device) }

    /// The directory's path, with all links resolved.
    public var path: String { steps[steps.count - 1].path }

    /// The files in it, by name; `.` is the directory itself. They stay those of this very
    /// directory even if its name changes, so open the directory again for each use if you keep
    /// this value for long.
    public var files: any FileAccess { steps[steps.count - 1].files }

    /// The directory's status when it was opened.
    public var status: FileStatus { steps[steps.count - 1].status }

    /// Opens the directory at `path`. Returns `nil` if it is absent and those above it, as far as
    /// they exist, are sound.
    ///
    /// - Parameters:
    ///   - path: An absolute path. It may climb (`..`) only with ``Demand/sound``.
    ///   - demand: What the directory itself must fulfil.
    ///   - files: The disk.
    /// - Throws: ``AuthError`` `store(.insecurePermissions)`, naming the path at fault, and the command that mends it if
    ///   the directory is to be this user's alone; `configuration(.invalid)` for a path of another form;
    ///   `store(.unavailable)` if the disk fails.
    public static func open(_ path: String, _ demand: Demand, in files: any FileAccess) throws -> TrustedDirectory? {
        try DirectoryWalk(files, makes: false).walk(to: path, demand)
    }

    /// Opens the directory at `path`. If it or directories above it are absent, creates them with mode 0700.
    ///
    /// - Throws: As ``open(_:_:in:)`` does; also ``AuthError`` `store(.readOnly)` and `store(.full)`.
    public static func make(_ path: String, _ demand: Demand, in files: any FileAccess) throws -> TrustedDirectory {
        guard let made = try DirectoryWalk(files, makes: true).walk(to: path, demand) else {
            throw AuthError(.store(.unavailable), "\(path) has disappeared")
        }
        return made
    }

    /// Makes the names of the directory, and of this user's directories above it, durable. This
    /// process, or one that died, may have created them.
    ///
    /// - Throws: ``AuthError`` with a `store` code if the disk fails.
    public func syncParents() throws {
        for step in steps.dropLast().reversed() where step.status.isOwn {
            do {
                try step.files.syncDirectory(".")
            } catch FileError.denied {
                // This process did not create a directory that its user may not read.
                return
            } catch let error as FileError {
                throw AuthError.disk(error, .write, at: step.path)
            }
        }
    }
}

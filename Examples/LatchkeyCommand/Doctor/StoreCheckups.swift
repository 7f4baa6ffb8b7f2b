import FoundationEssentials
import Latchkey
import LatchkeyFileStore

/// What there is to say about the files of a profile.
struct StoreCheckups {
    let report: FileStoreReport
    let directory: String
    let profile: String
    let now: Date

    init(_ workplace: Workplace) {
        directory = workplace.places.directory
        profile = workplace.profile.name
        now = workplace.invocation.world.clock.wall()
        report = FileStore(unencryptedAt: directory, context: workplace.invocation.world).inspect()
    }

    var all: [Checkup] {
        if let error = report.directory { return [.fail("directory", error, profile: profile)] }
        guard report.isThere else {
            return [.ok("directory", "\(directory) is not there yet; the first sign-in makes it")]
        }
        return [.ok("directory", "\(directory) is this user's alone")] + permissions + [writing] + locks + leftovers
            + records
    }

    private var permissions: [Checkup] {
        guard report.insecure.isEmpty else {
            return report.insecure.map { .fail("permissions", $0.error, profile: profile) }
        }
        return [.ok("permissions", "All of its \(report.files) files are this user's alone")]
    }

    private var writing: Checkup {
        report.writing.map { .fail("writing", $0, profile: profile) } ?? .ok("writing", "Files can be written there")
    }

    private var locks: [Checkup] {
        if let error = report.locking {
            return [
                .fail(
                    "locks", error, remedy: "Keep the sessions on a local file system: set XDG_DATA_HOME",
                    profile: profile)
            ]
        }
        guard !report.held.isEmpty else { return [.ok("locks", "Nobody holds a lock")] }
        return report.held.map { held in
            let since = held.since.map { ", since \(AccountReport.describe($0, from: now))" } ?? ""
            return .warn(
                "locks",
                "\(held.isLane ? "The lane" : "The lock") \(held.path) is held by"
                    + " \(held.holder ?? "another process")\(since)",
                remedy: "Let that process finish, wake it (fg, kill -CONT) or end it; leave the lock file where it is")
        }
    }

    private var leftovers: [Checkup] {
        var found: [Checkup] = []
        if !report.leftovers.isEmpty {
            found.append(
                .warn(
                    "leftovers",
                    "Writers that died left \(report.leftovers.count) files, such as"
                        + " \(report.leftovers[0])", remedy: "Nothing needs doing: the next change removes them"))
        }
        if !report.setAside.isEmpty {
            found.append(
                .warn(
                    "leftovers",
                    "\(report.setAside.count) damaged records were set aside, such as"
                        + " \(report.setAside[0])", remedy: "Remove them when nobody wants to look at them any more"))
        }
        return found.isEmpty ? [.ok("leftovers", "There are none")] : found
    }

    private var records: [Checkup] {
        guard report.damaged.isEmpty else {
            return report.damaged.map { problem in
                .fail(
                    "records", problem.error, remedy: "Move it out of the directory and sign in again: latchkey login",
                    profile: profile)
            }
        }
        return [.ok("records", "All \(report.records) can be read")]
    }
}

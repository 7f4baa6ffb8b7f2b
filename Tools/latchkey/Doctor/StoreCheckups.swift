import FoundationEssentials
import Latchkey
import LatchkeyEncryptedStore
import LatchkeyFileStore

/// Checks the files of a profile.
struct StoreCheckups {
    let report: FileStoreReport
    let directory: String
    let profile: String
    let now: Date
    let texts: ToolTexts
    private let advice: PlaceAdvice

    init(_ workplace: Workplace) {
        advice = PlaceAdvice(workplace.invocation)
        directory = workplace.places.directory
        profile = workplace.profile.name
        texts = workplace.invocation.shown
        now = workplace.invocation.world.clock.wall()
        let files = workplace.invocation.world.files
        var report = FileStore(unencryptedAt: directory, context: workplace.invocation.world).inspect()
        // The encrypted file and the keyring's locks have directories of their own there.
        let directories = ["vault", "keyring"].map { [directory] in "\(directory)/\($0)" }.filter {
            (try? TrustedDirectory.open($0, .own, in: files)) ?? nil != nil
        }
        report.setAside += (try? workplace.places.vault().store().setAsideFiles()) ?? []
        report.insecure.removeAll { directories.contains($0.path) }
        self.report = report
    }

    var all: [Checkup] {
        if let error = report.directory {
            let remedy = advice.hint(for: error).map { texts($0) }
            return [.fail("directory", error, remedy: remedy, profile: profile, texts)]
        }
        guard report.isThere else {
            return [.ok("directory", texts("doctor.notThere", ["path": directory]))]
        }
        return [.ok("directory", texts("doctor.own", ["path": directory]))] + permissions + [writing] + locks
            + leftovers
            + records
    }

    private var permissions: [Checkup] {
        guard report.insecure.isEmpty else {
            return report.insecure.map { .fail("permissions", $0.error, profile: profile, texts) }
        }
        return [.ok("permissions", texts("doctor.files", ["count": "\(report.files)"]))]
    }

    private var writing: Checkup {
        report.writing.map { .fail("writing", $0, profile: profile, texts) } ?? .ok("writing", texts("doctor.writing"))
    }

    private var locks: [Checkup] {
        if let error = report.locking {
            return [
                .fail(
                    "locks", error, remedy: texts("doctor.locks.remedy"), profile: profile, texts)
            ]
        }
        guard !report.held.isEmpty else { return [.ok("locks", texts("doctor.noLocks"))] }
        return report.held.map { held in
            let since = held.since.map {
                texts("doctor.since", ["date": AccountReport.describe($0, from: now, texts)])
            }
            return .warn(
                "locks",
                texts(
                    held.isLane ? "doctor.lane" : "doctor.lock",
                    [
                        "path": held.path, "holder": held.holder ?? texts("doctor.holder"), "since": since ?? "",
                    ]), remedy: texts("doctor.held.remedy"))
        }
    }

    private var leftovers: [Checkup] {
        var found: [Checkup] = []
        if !report.leftovers.isEmpty {
            found.append(
                .warn(
                    "leftovers",
                    texts(
                        "doctor.leftovers",
                        ["count": "\(report.leftovers.count)", "path": "\(report.leftovers[0])"]),
                    remedy: texts("doctor.leftovers.remedy")))
        }
        if !report.setAside.isEmpty {
            found.append(
                .warn(
                    "leftovers",
                    texts(
                        "doctor.setAside",
                        ["count": "\(report.setAside.count)", "path": "\(report.setAside[0])"]),
                    remedy: texts("doctor.setAside.remedy")))
        }
        return found.isEmpty ? [.ok("leftovers", texts("doctor.noLeftovers"))] : found
    }

    private var records: [Checkup] {
        guard report.damaged.isEmpty else {
            return report.damaged.map { problem in
                .fail(
                    "records", problem.error,
                    remedy: texts("hint.damaged", Hints.repair(" --profile \(profile)", texts)), profile: profile, texts
                )
            }
        }
        return [.ok("records", texts("doctor.records", ["count": "\(report.records)"]))]
    }
}

import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// A disk that is full when the answer of a refresh is to be saved.
@Suite("A full disk at the save") struct FullDiskTests {
    @Test(
        "a full disk: the token is used and told to be at risk, neighbours wait, and it is stored once there is space",
        .law(2))
    func fullDisk() async throws { try await run(on: RefusingDisk()) }

    @Test(
        "a disk that fills while a command refreshes costs nothing: the answer has its room, and the next command its token",
        .law(2)
    )
    func fillsMeanwhile() async throws {
        guard let disk = try await SmallFileSystem.probe() else { return }
        do {
            try await fillsMeanwhile(disk)
        } catch {
            await disk.close()
            throw error
        }
        await disk.close()
    }

    private func fillsMeanwhile(_ disk: SmallFileSystem) async throws {
        let signedIn = try await SignedIn()
        let server = signedIn.server
        defer { server.stop() }
        let scene = Bystander(server, try await disk.adopt(signedIn))
        let old = try await signedIn.run("token").line
        server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken))
        let refresh = try signedIn.start(["refresh"])
        let isHeld = try await Child.poll(within: 30) { server.heldAnswers == 1 ? true : nil }
        try #require(isHeld == true)
        try disk.fill()
        #expect(server.release() == 1)
        let result = try await refresh.wait(within: 60)
        let token = try await signedIn.run("token").line
        let isUsable = await scene.accepts(token)
        print("disk: \(disk.name): filled meanwhile: latchkey refresh exit=\(result.status) token-usable=\(isUsable)")
        #expect(result.status == 0 && token != old && isUsable, "\(result.errors)")
        // Now there is no room for another answer.
        let refused = try await signedIn.run("refresh")
        let kept = try await signedIn.run("token")
        print("disk: \(disk.name): full before: latchkey refresh exit=\(refused.status), token exit=\(kept.status)")
        #expect(refused.status == 7 && kept.status == 0 && kept.line == token, "\(refused.errors)")
        #expect(server.log().count { $0.grant == "refresh_token" && $0.isActed } == 1)
        try disk.free()
        let next = try await signedIn.run("refresh")
        #expect(next.status == 0, "\(next.errors)")
    }

    private func run(on disk: RefusingDisk) async throws {
        let observer = RecordingObserver()
        let signedIn = try await SignedIn()
        let server = signedIn.server
        defer { server.stop() }
        let scene = Bystander(server, try disk.adopt(signedIn))
        let auth = try scene.process(files: disk.files, observer: observer)
        let old = try await auth.accessToken().value.revealText()
        func acted() -> Int { server.log().count { $0.grant == "refresh_token" && $0.isActed } }

        // The space runs out between the mark, which is stored, and the answer, which is not.
        server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken))
        let refresh = Task { try await auth.refresh() }
        let isHeld = try await Child.poll(within: 30) { server.heldAnswers == 1 ? true : nil }
        try #require(isHeld == true)
        disk.fill()
        #expect(server.release() == 1)
        let token = try await refresh.value
        let account = try #require(try await auth.accounts().first)
        let told = observer.observations.contains {
            if case .refresh(_, .notDurable, _) = $0 { true } else { false }
        }
        let isUsable = await scene.accepts(token.value.revealText())
        let later = try await auth.accessToken()
        print(
            "disk: \(disk.name): full at the save: token-usable=\(isUsable) token.isDurable=\(token.isDurable) "
                + "account.isDurable=\(account.isDurable) notDurable-told=\(told) requests=\(acted())")
        #expect(isUsable && token.value.revealText() != old && !token.isDurable && !account.isDurable && told)
        #expect(later == token && !later.isDurable && acted() == 1)
        #expect(try scene.stored().hasMark)

        let good = try await signedIn.run("token")
        let hasty = try scene.process(lockDeadline: .milliseconds(200))
        let failure = await #expect(throws: AuthError.self) { try await hasty.refresh() }
        let patient = try signedIn.start(["refresh"])
        let message = failure?.message ?? ""
        print(
            "disk: \(disk.name): neighbour: latchkey token exit=\(good.status) its-own-token=\(good.line == old); "
                + "refresh in haste: \(failure?.code.name ?? "ok") \"\(message)\" requests=\(acted())")
        #expect(good.status == 0 && good.line == old)
        #expect(failure?.code == .busy && message.contains("pid \(ProcessInfo.processInfo.processIdentifier)"))
        #expect(acted() == 1)

        disk.free()
        let isStored = try await Child.poll(within: 30) { (try? scene.stored().hasMark) == false ? true : nil }
        let durable = try await Child.poll(within: 30) { auth.currentToken()?.isDurable == true ? true : nil }
        print("disk: \(disk.name): space is back: stored=\(isStored ?? false) token.isDurable=\(durable ?? false)")
        #expect(isStored == true && durable == true)

        let result = try await patient.wait(within: 60)
        let adopted = try await signedIn.run("token").line == token.value.revealText()
        print(
            "disk: \(disk.name): neighbour that waited: latchkey refresh exit=\(result.status) "
                + "same-token=\(adopted) requests=\(acted())")
        #expect(result.status == 0 && adopted && acted() == 1, "\(result.errors)")
    }
}

extension SignedIn {
    /// Where the tool keeps the session.
    fileprivate var store: String {
        get throws {
            let record = FilesBelow.list(data).first { $0.contains("/credential-") && $0.hasSuffix(".record") }
            return "/" + (try #require(record)).split(separator: "/").dropLast().joined(separator: "/")
        }
    }
}

/// The real disk, with every write refused as by a full one. Only the process that uses it sees it as full.
private struct RefusingDisk: ForwardingFiles {
    let name = "refused writes"
    private let isFull: Switch
    let inner: any FileAccess

    private final class Switch: Sendable {
        let isOn = Locked(false)
    }

    init() { (isFull, inner) = (Switch(), SystemFiles()) }

    private init(_ isFull: Switch, _ inner: any FileAccess) { (self.isFull, self.inner) = (isFull, inner) }

    var files: any FileAccess { self }

    func entry(_ path: String) throws -> FileEntry? {
        try inner.entry(path)?.withFiles { RefusingDisk(isFull, $0) }
    }

    func adopt(_ signedIn: SignedIn) throws -> String { try signedIn.store }

    func fill() { isFull.isOn.withLock { $0 = true } }

    func free() { isFull.isOn.withLock { $0 = false } }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        if isFull.isOn.withLock({ $0 }) { throw FileError.full }
        try inner.writeNew(path, bytes)
    }
}

/// A file system in memory, of a size that is soon used up.
private final class SmallFileSystem: Sendable {
    let name = "tmpfs of 256 KiB"
    private let mounted = Locked<String?>(nil)
    private static let ballast = (0..<100).map { "ballast-\($0)" }

    /// Where this machine lets us mount one; elsewhere says so, which continuous integration does not accept.
    static func probe() async throws -> SmallFileSystem? {
        let folder = TemporaryFolder()
        let refusal = try await mount(at: folder.path)
        guard let refusal else {
            try await unmount(folder.path)
            return SmallFileSystem()
        }
        print("disk: tmpfs: skipped: \(refusal)")
        if ProcessInfo.processInfo.environment["CI"] == "true" { Issue.record("A file system could not be mounted.") }
        return nil
    }

    func adopt(_ signedIn: SignedIn) async throws -> String {
        let directory = try signedIn.store
        let kept = try FilesBelow.list(directory).map { ($0, try SystemFiles().read($0, limit: 1 << 20) ?? []) }
        try #require(try await Self.mount(at: directory) == nil)
        mounted.withLock { $0 = directory }
        for (path, bytes) in kept { try SystemFiles().writeNew(path, bytes) }
        return directory
    }

    func fill() throws {
        let directory = try #require(mounted.withLock { $0 })
        let page = [UInt8](repeating: 0, count: 4_096)
        #expect(throws: FileError.full) {
            for name in Self.ballast { try SystemFiles().writeNew("\(directory)/\(name)", page) }
        }
    }

    func free() throws {
        let directory = try #require(mounted.withLock { $0 })
        for name in Self.ballast { try SystemFiles().remove("\(directory)/\(name)") }
    }

    func close() async {
        if let directory = mounted.withLock({ $0 }) { try? await Self.unmount(directory) }
    }

    /// `nil`: done; else why not.
    private static func mount(at path: String) async throws -> String? {
        guard let mount = Program.onPath("mount") else { return "there is no mount" }
        let result = try await Program(mount).run(["-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", path])
        return result.status == 0 ? nil : result.errors.split(separator: "\n").first.map(String.init) ?? "mount failed"
    }

    private static func unmount(_ path: String) async throws {
        // Lazily: somebody may still look at a file in it.
        _ = try await Program(Program.onPath("umount") ?? "umount").run(["-l", path])
    }
}

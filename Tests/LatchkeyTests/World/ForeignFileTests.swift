import Testing

@testable import Latchkey

@Suite("Files of somebody else") struct ForeignFileTests {
    private func fault(_ owner: UInt32) -> String? {
        let found = FileStatus(kind: .file, mode: 0o600, owner: owner, isOwn: false)
        do {
            try PrivateFile.check(found, at: "/home/ada/x.record")
            return nil
        } catch { return error.message }
    }

    @Test("what belongs to root is named with the command that takes it back; what another user has put there is not")
    func owners() {
        #expect(
            fault(0)
                == #"/home/ada/x.record belongs to root; sudo chown -R "$(id -u)" /home/ada/x.record takes it back"#)
        #expect(fault(1_001) == "/home/ada/x.record belongs to another user (1001)")
    }
}

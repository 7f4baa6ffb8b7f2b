import Foundation
import Latchkey

/// Events that wait to be sent: a file for each, so that what was written outlasts a kill at any moment.
actor Outbox {
    struct Event: Sendable {
        /// By which the service knows an event again that was sent twice.
        let id: String
        let text: String
    }

    /// Rings when there may be something to send.
    nonisolated let bell: AsyncStream<Void>
    private nonisolated let rope: AsyncStream<Void>.Continuation
    private let folder: URL

    init(in folder: String) throws {
        self.folder = URL(fileURLWithPath: folder, isDirectory: true)
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        (bell, rope) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        rope.yield()
    }

    nonisolated func ring() { rope.yield() }

    func add(_ text: String, of account: AccountID) throws {
        let number = (names.last.flatMap { Int($0.prefix(8)) } ?? 0) + 1
        let digits = String(number)
        let id = String(repeating: "0", count: 8 - digits.count) + digits + "-" + UUID().uuidString
        try Data("\(account.value)\n\(text)".utf8).write(to: folder.appending(path: id), options: .atomic)
        rope.yield()
    }

    /// Returns the oldest event of `account`; `nil` if it has none.
    func first(of account: AccountID) -> Event? {
        for name in names {
            guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { continue }
            let parts = text.split(separator: "\n", maxSplits: 1)
            if parts.count == 2, parts[0] == account.value { return Event(id: name, text: String(parts[1])) }
        }
        return nil
    }

    func remove(_ event: Event) { try? FileManager.default.removeItem(at: folder.appending(path: event.id)) }

    /// The service refuses it for good: it stays here under another name, and the others go on.
    func setAside(_ event: Event) {
        try? FileManager.default.moveItem(
            at: folder.appending(path: event.id), to: folder.appending(path: "refused-\(event.id)"))
    }

    /// How many events wait.
    var count: Int { names.count }

    /// The files of what waits, the oldest first.
    private var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.first?.isNumber ?? false }.sorted()
    }
}

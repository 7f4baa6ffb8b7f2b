import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeySupabase

/// A diary that keeps what is written in an outbox, and sends it in the background while somebody is signed in.
///
///     outbox-sync serve                                           a service to try it with
///     outbox-sync add COUNT FOLDER                                writes so many events
///     OUTBOX_PASSWORD=… outbox-sync send FOLDER PROJECT_URL KEY EVENTS_URL ADDRESS
@main
struct OutboxSync {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("serve", 1): try await DiaryService.run()
        case ("add", 3):
            let outbox = try outbox(in: words[2])
            let before = try await outbox.count().waiting
            try await outbox.add((0..<(Int(words[1]) ?? 0)).map { "{\"entry\":\(before + $0)}" })
            print("\(try await outbox.count().waiting) events wait")
        case ("send", 6):
            guard let password = ProcessInfo.processInfo.environment["OUTBOX_PASSWORD"] else { return usage() }
            let transport = CurlTransport()
            let auth = try AuthClient.Builder()
                .provider(.supabase(projectURL: words[2], publishableKey: words[3]))
                .store(.file(unencryptedAt: "\(words[1])/sessions"))
                .transport(transport)
                .build()
            let person = ProviderMethod<SupabaseProvider>.password(identifier: words[5], Secret(password))
            let diary = Diary(auth: auth, outbox: try outbox(in: words[1]), person: person, events: words[4])
            try await diary.send(over: transport)
            if let unstored = await auth.finish() { throw unstored }
        default: usage()
        }
    }

    private static func outbox(in folder: String) throws -> Outbox {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try Outbox(at: "\(folder)/outbox.sqlite")
    }

    private static func usage() {
        print("usage: outbox-sync serve | add COUNT FOLDER | send FOLDER PROJECT_URL KEY EVENTS_URL ADDRESS")
    }
}

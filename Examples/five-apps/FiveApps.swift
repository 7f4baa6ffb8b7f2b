import Foundation

/// Five small apps, of the five kinds that this package was made for. Each reads what a person taps, one tap per line on standard
/// input, and answers it with one line that says what the screen shows then.
///
///     five-apps notes|budget|radar|messenger|diary --service URL --folder FOLDER [--events URL]
///
/// `--service` is a development server, and `--events` the service that the diary sends to.
@main
struct FiveApps {
    @MainActor
    static func main() async throws {
        guard let place = Place(CommandLine.arguments.dropFirst()) else {
            return say("usage: five-apps \(Place.apps) --service URL --folder FOLDER [--events URL]")
        }
        let app: any App =
            switch place.app {
            case "notes": try NotesApp(place)
            case "budget": try BudgetApp(place)
            case "radar": try RadarApp(place)
            case "messenger": try MessengerApp(place)
            default: try DiaryApp(place)
            }
        say(await app.open())
        for await line in taps() {
            let tap = Tap(line)
            if tap.word == "quit" { break }
            say(await app.take(tap))
        }
        await app.close()
        say("closed")
    }

    /// Lines are read on a thread of their own, so that the app goes on while nobody taps.
    private static func taps() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line.replacing("\n", with: " ") + "\n").utf8))
    }
}

/// One of the five apps.
@MainActor protocol App {
    /// Opens the app, and returns what its first screen shows.
    func open() async -> String
    /// Takes a tap, and returns what the screen shows then.
    func take(_ tap: Tap) async -> String
    /// Ends the app, after what is under way has been stored.
    func close() async
}

/// A button that the person taps, and what they type with it: `sign-in ada@example.test password`.
struct Tap {
    let word: String
    private let typed: [String]

    init(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        word = words.first ?? ""
        typed = Array(words.dropFirst())
    }

    subscript(place: Int) -> String { typed.indices.contains(place) ? typed[place] : "" }

    /// Everything that was typed.
    var text: String { typed.joined(separator: " ") }
}

import Foundation
import LatchkeyDevServer

/// A small web app with sign-in pages: a notice board of one's own, for any number of people at once.
///
///     web-app [--dialect supabase|oauth|clerk] [--port N] [--folder FOLDER] [--plain] [--guests N] [--stays SECONDS]
///     web-app crowd [--people N] [--at-once N]
///
/// The identity service is the development server, in the same program. `--plain` answers the pages without sessions,
/// to compare with. `--guests` is how many visitors who are not signed in the store keeps, and `--stays` how long a browser
/// stays signed in.
@main
struct WebApp {
    static func main() async throws {
        var words = Array(CommandLine.arguments.dropFirst())
        let isCrowd = words.first == "crowd"
        if isCrowd { words.removeFirst() }
        guard var settings = Settings(words) else {
            print("usage: web-app [crowd] [--dialect supabase|oauth|clerk] [--port N] [--folder FOLDER] [--plain]")
            print("                [--guests N] [--stays SECONDS] [--people N] [--at-once N]")
            exit(2)
        }
        settings.isCrowd = isCrowd
        if isCrowd { return try await Crowd(settings).run() }
        let site = try Site(settings)
        print(site.banner)
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}

/// What the command line says.
struct Settings: Sendable {
    var dialect = Dialect.supabase
    var port: UInt16 = 0
    var folder: String?
    var isPlain = false
    var guests: Int?
    var stays: Duration?
    var people = 1_000
    var atOnce = 50
    var isCrowd = false

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--plain": isPlain = true
            case "--dialect":
                guard let value = words.popFirst().flatMap(Dialect.init(rawValue:)) else { return nil }
                dialect = value
            case "--port":
                guard let value = words.popFirst().flatMap({ UInt16($0) }) else { return nil }
                port = value
            case "--folder":
                guard let value = words.popFirst() else { return nil }
                folder = value
            case "--guests":
                guard let value = words.popFirst().flatMap({ Int($0) }), value > 0 else { return nil }
                guests = value
            case "--stays":
                guard let value = words.popFirst().flatMap({ Int($0) }), (1...100_000_000).contains(value) else {
                    return nil
                }
                stays = .seconds(value)
            case "--people":
                guard let value = words.popFirst().flatMap({ Int($0) }), (1...100_000).contains(value) else {
                    return nil
                }
                people = value
            case "--at-once":
                guard let value = words.popFirst().flatMap({ Int($0) }), (1...1_000).contains(value) else { return nil }
                atOnce = value
            default: return nil
            }
        }
    }
}

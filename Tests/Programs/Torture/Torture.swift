/// Kills processes at random instants, and holds what they leave against what they, and the service, have said.
///
/// `torture store|faults|refresh --kills N --seed S --directory D [--shim FILE]`; the roles `writer` and `refresher`
/// are for the processes that it starts.
@main
struct Torture {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let rest = Array(words.dropFirst())
        switch words.first {
        case "writer": await Writer(rest)?.run()
        case "refresher": await Refresher(rest)?.run()
        case "store", "faults":
            guard let options = Options(rest) else { return finish(nil) }
            finish(await StoreRun(options, hasFaults: words.first == "faults").run())
        case "refresh":
            guard let options = Options(rest) else { return finish(nil) }
            finish(await RefreshRun(options).run())
        default: finish(nil)
        }
    }

    private static func finish(_ isGood: Bool?) {
        guard let isGood else { stop(2, "usage: torture store|faults|refresh --kills N …") }
        if !isGood { stop(1, nil) }
    }
}

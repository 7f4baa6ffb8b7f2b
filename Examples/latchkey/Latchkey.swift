import LatchkeyCommand

@main
struct Latchkey {
    static func main() async { await LatchkeyTool.main() }
}

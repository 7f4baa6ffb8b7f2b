import LatchkeyCommand

@main
struct Latchkey {
    static func main() { LatchkeyTool.main() }
}

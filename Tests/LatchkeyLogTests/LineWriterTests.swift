import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyLog

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("A log to a descriptor", .timeLimit(.minutes(1))) struct LineWriterTests {
    /// Both ends of a pipe.
    private final class Pipe: Sendable {
        let reading: Int32
        let writing: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            let made = pipe(&ends)
            precondition(made == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            close(reading)
            close(writing)
        }

        /// What is there to read, up to `count` line feeds.
        func lines(_ count: Int) -> [String] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while bytes.count(where: { $0 == 0x0A }) < count {
                let got = read(reading, &buffer, buffer.count)
                guard got > 0 else { break }
                bytes += buffer[..<got]
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// Writes until it would block; how much that was.
        func fill() -> Int {
            let flags = fcntl(writing, F_GETFL)
            _ = fcntl(writing, F_SETFL, flags | O_NONBLOCK)
            defer { _ = fcntl(writing, F_SETFL, flags) }
            let zeros = [UInt8](repeating: 0x2E, count: 4_096)
            var total = 0
            while true {
                let got = write(writing, zeros, zeros.count)
                if got <= 0 { return total }
                total += got
            }
        }
    }

    private let sample = AuthObservation.gate(locked: true)

    @Test("lines from many tasks arrive whole, one after the other")
    func whole() async {
        let pipe = Pipe()
        let observer = LogObserver(.jsonLines, clock: ManualClock(), descriptor: pipe.writing, limit: 10_000)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<25 { observer.observe(sample) } } }
        }
        #expect(await observer.flush())
        let lines = pipe.lines(200)
        #expect(lines.count == 200)
        #expect(Set(lines).count == 1)
    }

    @Test("a reader who stopped reading holds nobody up, and is told how many lines are missing when it reads on")
    func stopped() async throws {
        let pipe = Pipe()
        let filled = pipe.fill()
        let observer = LogObserver(clock: ManualClock(), descriptor: pipe.writing, limit: 10)
        for _ in 0..<1_000 { observer.observe(sample) }
        #expect(await observer.flush(within: .milliseconds(20)) == false)
        var left = filled
        while left > 0 {
            var buffer = [UInt8](repeating: 0, count: min(left, 65_536))
            left -= read(pipe.reading, &buffer, buffer.count)
        }
        #expect(await observer.flush(within: .seconds(30)))
        observer.observe(.gate(locked: false))
        #expect(await observer.flush(within: .seconds(30)))
        var found: [String] = []
        while found.last?.hasSuffix("gate locked=false") != true { found += pipe.lines(1) }
        let kept = found.count { $0.hasSuffix(" gate locked=true") }
        let missing = found.compactMap { $0.split(separator: "dropped lines=").last.flatMap { Int($0) } }
        // What is being written, and what waits; the second number is there if the writer began late.
        #expect((10...20).contains(kept))
        #expect((1...2).contains(missing.count))
        #expect(kept + missing.reduce(0, +) == 1_000)
        #expect(found.dropLast().last?.contains("dropped") == true, "the number stands where the lines are missing")
    }

    @Test(
        "a descriptor that is closed or not readable any more costs lines and nothing else", arguments: [true, false])
    func broken(isPipe: Bool) async {
        let pipe = Pipe()
        let number = isPipe ? dup(pipe.writing) : -1
        let observer: LogObserver
        if isPipe {
            // The last reader goes: writing raises SIGPIPE for whoever does not expect it.
            let mute = open("/dev/null", O_RDONLY)
            dup2(mute, pipe.reading)
            close(mute)
            observer = LogObserver(descriptor: number)
        } else {
            observer = LogObserver(descriptor: number)
        }
        for _ in 0..<10 { observer.observe(sample) }
        #expect(await observer.flush(within: .seconds(30)))
        if isPipe { close(number) }
    }

    @Test("a descriptor that does not block is waited for")
    func nonBlocking() async {
        let pipe = Pipe()
        _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
        let observer = LogObserver(clock: ManualClock(), descriptor: pipe.writing, limit: 5_000)
        for _ in 0..<4_000 { observer.observe(sample) }
        #expect(pipe.lines(4_000).count == 4_000)
        #expect(await observer.flush())
    }
}

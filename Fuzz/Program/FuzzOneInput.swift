#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private let target: FuzzTarget = {
    let name = getenv("LATCHKEY_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.named(name) else { stop("LATCHKEY_FUZZ_TARGET names no target: '\(name)'\n") }
    return target
}()

/// Runs the target with one input from libFuzzer. A disagreement ends the program like a crash, so that the input
/// is kept.
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(Disagreement) {
        try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        stop("DISAGREEMENT in \(target.name): \(error.law)\n")
    }
    return 0
}

private func stop(_ text: String) -> Never {
    let bytes = Array(text.utf8)
    _ = write(2, bytes, bytes.count)
    abort()
}

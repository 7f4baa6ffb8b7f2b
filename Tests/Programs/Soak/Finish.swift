#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends the program.
func finish(_ status: Int32) { exit(status) }

/// Prints a line at once, for whoever waits.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

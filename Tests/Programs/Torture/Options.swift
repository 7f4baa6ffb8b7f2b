#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a run was asked for.
struct Options {
    var kills = 200
    var seed: UInt64 = 0
    /// Where the stores are made; on a real file system.
    var directory = ""
    var store = StoreKind.file
    /// The library that makes calls fail.
    var shim: String?

    init?(_ words: [String]) {
        var words = words[...]
        while let name = words.popFirst() {
            guard let value = words.popFirst() else { return nil }
            switch name {
            case "--kills": kills = Int(value) ?? 0
            case "--seed": seed = UInt64(value) ?? 0
            case "--directory": directory = value
            case "--store":
                guard let kind = StoreKind(rawValue: value) else { return nil }
                store = kind
            case "--shim": shim = value
            default: return nil
            }
        }
        guard kills > 0, directory.first == "/" else { return nil }
    }
}

/// Ends with a word about why.
func stop(_ status: Int32, _ reason: String?) -> Never {
    if let reason {
        let bytes = Array("\(reason)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
    exit(status)
}

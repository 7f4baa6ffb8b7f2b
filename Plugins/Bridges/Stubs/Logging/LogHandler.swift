/// The part of swift-log's `LogHandler` that tests of the bridge need: what a backend implements.
public protocol LogHandler: Sendable {
    /// Takes a line. The logger has compared the level already.
    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
        function: String, line: UInt)

    /// One of the fields that every line of the logger has.
    subscript(metadataKey key: String) -> Logger.Metadata.Value? { get set }

    /// The fields that every line of the logger has.
    var metadata: Logger.Metadata { get set }

    /// The least level that is written.
    var logLevel: Logger.Level { get set }
}

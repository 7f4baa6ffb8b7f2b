import Logging
import Synchronization

/// Keeps the lines of a logger.
final class RecordingLog: Sendable {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]
        var source: String
    }

    private let kept = Mutex<[Line]>([])

    var lines: [Line] { kept.withLock { $0 } }

    /// Everything that the lines say.
    var text: String { lines.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n") }

    /// A logger that writes here.
    func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "auth") { _ in Handler(log: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let log: RecordingLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
            function: String, line: UInt
        ) {
            let line = Line(
                level: level, message: message.description, metadata: (metadata ?? [:]).mapValues(\.description),
                source: source)
            log.kept.withLock { $0.append(line) }
        }
    }
}

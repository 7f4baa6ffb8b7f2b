public import Latchkey
public import Logging

/// Passes every observation of a client to swift-log: the observation's name as the message, its fields as metadata.
///
/// | Level | Observations |
/// | --- | --- |
/// | `trace` | uses of the store, waits for turns |
/// | `debug` | requests, refreshes that worked, the first token |
/// | `info` | sign-ins, sign-outs, unlocks, the gate, retries, somebody came back |
/// | `notice` | refusals, a sign-in that is required, and sign-ins, refreshes and unlocks that failed |
/// | `warning` | failures of the store, pins that do not fit, signs of interference |
///
/// Names and fields are those of `LogObserver`. A field without a value is left out. Text is cut after 256
/// bytes, and everything outside printable ASCII is escaped, so that no value can forge a line of any backend.
public struct SwiftLogObserver: AuthObserver {
    private let logger: Logger
    private let level: @Sendable (AuthObservation) -> Logger.Level

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - logger: Takes the lines. Its backend must return quickly, because the engine waits for it.
    ///   - level: How important an observation is; the default is the table above.
    public init(
        _ logger: Logger, level: @escaping @Sendable (AuthObservation) -> Logger.Level = { $0.usualLevel }
    ) {
        self.logger = logger
        self.level = level
    }

    /// Passes the observation on, if the logger writes its level.
    public func observe(_ observation: AuthObservation) {
        logger.log(
            level: level(observation), "\(observation.name)", metadata: observation.metadata, source: "Latchkey")
    }
}

extension AuthObservation {
    /// The level of ``SwiftLogObserver``'s table.
    public var usualLevel: Logger.Level {
        switch self {
        case .store, .lockWait: .trace
        case .request, .firstToken, .refresh(_, .refreshed, _), .refresh(_, .adopted, _): .debug
        case .refusal, .signInRequired, .refresh: .notice
        case .signIn(_, _, let failure, _), .unlock(_, _, let failure, _): failure == nil ? .info : .notice
        case .storeFailure, .pins, .integrity: .warning
        default: .info
        }
    }

    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        for field in fields { metadata[field.name] = field.value.metadata }
        return metadata
    }
}

extension AuthObservation.FieldValue {
    fileprivate var metadata: Logger.MetadataValue? {
        switch self {
        case .text(let text): .string(text.printable)
        case .number(let number): .stringConvertible(number)
        case .seconds(let duration): .stringConvertible(max(duration, .zero) / .seconds(1))
        case .truth(let truth): .stringConvertible(truth)
        case .none: nil
        @unknown default: nil
        }
    }
}

extension String {
    fileprivate var printable: String {
        var result = ""
        var room = 256
        for scalar in unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { return result + "..." }
            switch scalar {
            case "\\": result += "\\\\"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result
    }
}

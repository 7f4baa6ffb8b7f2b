import Latchkey
import LatchkeyJSON
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension AuditLog {
    typealias Read = (event: AuditEvent, reading: LogTime.Reading)

    /// The most events of one writing, so that it always fits beside the lines that stay.
    private static let batch = 64

    /// Writes what waits. The holder of the lock is the only one who takes anything away.
    func writePending(to folder: AuditFolder, _ keys: AuditKeys) throws {
        while true {
            let (events, dropped) = pending.withLock { state in
                let events = Array(state.events.prefix(Self.batch))
                // They were dropped behind all that waited then.
                return (events, events.count == state.events.count ? state.dropped : 0)
            }
            if events.isEmpty, dropped == 0 { return }
            try write(events, dropped: dropped, to: folder, keys)
            pending.withLock { state in
                state.events.removeFirst(events.count)
                state.dropped -= dropped
            }
        }
    }

    /// Writes lines, and then notes that the log ends with them.
    func write(_ events: [Read], dropped: Int, to folder: AuditFolder, _ keys: AuditKeys) throws {
        let tail = try LogTail(of: folder, keys)
        let now = LogTime.Reading(context.clock)
        var composer = LineComposer(after: tail.number, chain: tail.chain, keys)
        var moment = tail.moment
        func next(_ reading: LogTime.Reading) -> LogTime {
            let found = LogTime(reading, after: moment, age: limits.age, keys)
            moment = found
            return found
        }
        var isNew = false
        switch tail.repair {
        case .lost:
            isNew = true
            composer.start(at: next(now), why: .lost, continues: tail.chain, faults: 1)
        case .broken(let count): composer.add(.broken, at: next(now), ["count": .integer(count)])
        case nil: break
        }
        for (event, reading) in events { composer.add(.event, at: next(reading), members(of: event, keys)) }
        if dropped > 0 { composer.add(.dropped, at: next(now), ["count": .integer(Int64(dropped))]) }
        let age = next(now).at - (tail.oldest(keys)?.at ?? .max)
        if isNew {
            try folder.replace(AuditFolder.log, with: composer.bytes)
        } else if tail.end + composer.bytes.count > limits.bytes || age > limits.age.milliseconds {
            try compact(tail, adding: composer, at: next(now), in: folder, keys)
        } else {
            try folder.append(composer.bytes, at: tail.end)
        }
        if isNew { try folder.sync() }
        try folder.replace(
            AuditFolder.head, with: AuditHead(number: composer.number, chain: composer.chain).bytes(keys))
    }

    private func members(of event: AuditEvent, _ keys: AuditKeys) -> [String: JSON] {
        var members: [String: JSON] = [
            "action": .string(event.action.rawValue), "result": .string(event.result.rawValue),
            "device": .string(keys.identifier(.device, event.device?.id ?? device ?? "")),
            "process": .integer(Int64(getpid())),
        ]
        members["account"] = event.account.map { .string(keys.identifier(.person, $0.value)) }
        members["actor"] = event.actor.map { .string(keys.identifier(.person, $0.value)) }
        members["provider"] = event.provider.map { .string(Self.name(of: $0, keys)) }
        members["method"] = event.method.map { .string($0.rawValue) }
        members["reason"] = event.reason.map { .string($0.name) }
        return members
    }

    private static func name(of provider: ProviderID, _ keys: AuditKeys) -> String {
        let isName =
            (1...24).contains(provider.name.utf8.count)
            && provider.name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "._-".utf8.contains($0)
            }
        return isName ? provider.name : keys.identifier(.provider, provider.name)
    }
}

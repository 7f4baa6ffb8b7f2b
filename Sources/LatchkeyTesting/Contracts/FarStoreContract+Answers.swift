import Latchkey

/// Answers that are lost on their way.
extension FarStoreContract {
    func lostChange(_ pair: Pair) async throws {
        // One answer, so that a change that is sent again gets one; and all of them.
        for (index, cut) in (CuttingProxy.Cut.allCases + CuttingProxy.Cut.allCases).enumerated() {
            let most = index < CuttingProxy.Cut.allCases.count ? 1 : Int.max
            let key = StoreKey(.credential, "lost \(cut) \(index)")
            let version = try await pair.store.replace(key, at: nil, with: [0])
            for (number, bytes) in [[UInt8(1)], nil].enumerated() {
                let before = number == 0 ? version : try await pair.near.read(key)?.version
                pair.proxy.cut(every: 1, by: [cut], most: most)
                let thrown = try await change(key, at: before, with: bytes, in: pair)
                pair.proxy.cut(every: nil)
                let found = try await pair.near.read(key)
                let isThere = found?.bytes == bytes
                switch thrown {
                case nil: try expect(isThere, "\(cut): it returned, and the change is not there")
                case .store(.unknownOutcome)?: break
                default:
                    // Whatever else it says means that nothing has changed.
                    try await clauses.step(of: "what is said not to have changed anything has not") {
                        try expect(!isThere, "\(cut): it threw \(thrown?.name ?? "nothing"), and the change is there")
                    }
                }
                _ = try await eventually("it reads after cut \(index)") { try await pair.store.read(key) }
            }
        }
    }

    /// The code that a change throws; `nil` if it returns.
    private func change(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?, in pair: Pair
    ) async throws -> AuthError.Code? {
        do { try await pair.store.replace(key, at: version, with: bytes) } catch is StoreConflict {
            throw Broken("its own change is told as another writer's")
        } catch let error as AuthError {
            return error.code
        }
        return nil
    }

    func lostQuestion(_ pair: Pair) async throws {
        let names = (0..<500).map { "person \($0)" }
        for name in names { _ = try await pair.near.replace(StoreKey(.credential, name), at: nil, with: [1]) }
        let asked = StoreKey(.credential, names[0])
        for cut in CuttingProxy.Cut.allCases where cut != .silence {
            pair.proxy.cut(every: 2, by: [cut])
            for _ in 0..<8 {
                do {
                    try expect(try await pair.store.read(asked) != nil, "\(cut): a record is absent")
                } catch let error as AuthError {
                    try expect(Self.isAway(error.code), "\(cut): reading threw \(error.code.name)")
                }
                do {
                    let found = try await pair.store.keys(.credential)
                    try expect(
                        Set(found.map(\.name)) == Set(names), "\(cut): it listed \(found.count) of \(names.count)")
                } catch let error as AuthError {
                    try expect(Self.isAway(error.code), "\(cut): listing threw \(error.code.name)")
                }
            }
        }
        // A list of several pages that breaks off in the middle, and cannot be asked for again.
        for pages in 1...5 {
            pair.proxy.cut(every: 1, by: [.answer], after: pages)
            do {
                let found = try await pair.store.keys(.credential)
                try expect(Set(found.map(\.name)) == Set(names), "it listed \(found.count) of \(names.count)")
            } catch let error as AuthError {
                try expect(Self.isAway(error.code), "listing threw \(error.code.name)")
            }
        }
        pair.proxy.cut(every: nil)
    }

    func manyKeys(_ pair: Pair) async throws {
        let names = (0..<2_000).map { "person \($0)" }
        for name in names { _ = try await pair.near.replace(StoreKey(.device, name), at: nil, with: [1]) }
        let found = try await pair.store.keys(.device)
        try expect(found.count == names.count, "it listed \(found.count) of \(names.count)")
        try expect(Set(found.map(\.name)) == Set(names), "it listed others")
    }

    /// Each writer counts in a place of its own of one record, so that it knows its own change again.
    func counted(_ pair: Pair) async throws {
        let report = try await FarCounting(key: StoreKey(.settings, "count"), writers: 8, each: 60).run { _ in
            try await make(pair.proxy.port, pair.place, context)
        } begin: {
            pair.proxy.cut(every: 7, by: [.answer, .half, .request])
        }
        pair.proxy.cut(every: nil)
        try expect(
            report.conflictsToldWrongly == 0, "\(report.conflictsToldWrongly) own changes were told as another's")
        try expect(report.lost == 0, "\(report.lost) of \(report.increments) increments are lost")
        try expect(report.doubled == 0, "\(report.doubled) increments were made twice")
    }
}

import Latchkey

/// What a clause saw instead of what it requires.
struct Broken: Error {
    var detail: String

    init(_ detail: String) { self.detail = detail }
}

/// Runs the clauses of one contract, and turns a failure in one into a violation that names it.
struct Clauses: Sendable {
    let contract: String
    /// How long a clause may take in real time. A clause that runs within another has its own time.
    var limit = ClauseLimit.standard

    func clause<Value: Sendable>(
        _ clause: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let late = Broken("it did not end within \(limit)")
        do {
            return try await LimitedWork.run(for: limit, orThrow: late, body)
        } catch let broken as Broken {
            throw ContractViolation(contract: contract, clause: clause, detail: broken.detail)
        } catch let violation as ContractViolation {
            throw violation
        } catch {
            throw ContractViolation(contract: contract, clause: clause, detail: "it threw \(Self.shown(error))")
        }
    }

    /// Returns what one of the author's closures returns. An error from it breaks no clause of the table.
    func given<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let violation as ContractViolation {
            throw violation
        } catch {
            if error is CancellationError, Task.isCancelled { throw error }
            throw ContractViolation(
                contract: contract, clause: ContractViolation.given, detail: "\(what) threw \(Self.shown(error))")
        }
    }

    /// Runs a step on behalf of `clause`, whichever clause is being checked.
    func step<Value>(of clause: String, _ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let violation as ContractViolation {
            throw violation
        } catch {
            if error is CancellationError, Task.isCancelled { throw error }
            let detail = (error as? Broken)?.detail ?? "it threw \(Self.shown(error))"
            throw ContractViolation(contract: contract, clause: clause, detail: detail)
        }
    }

    /// Returns the part of the error that is known to contain no secret.
    static func shown(_ error: any Error) -> String {
        switch error {
        case let error as AuthError: error.description
        case let unsent as NotSent: unsent.error.description
        case let open as StillOpen: open.error.description
        case let error as TransportError: error.description
        case let error as Refusal: error.description
        default: "\(type(of: error))"
        }
    }
}

/// Throws ``Broken`` when `condition` does not hold.
func expect(_ condition: Bool, _ detail: @autoclosure () -> String) throws {
    if !condition { throw Broken(detail()) }
}

/// Throws ``Broken`` unless `body` throws an ``/Latchkey/AuthError`` whose code is accepted.
func expectError(
    _ expected: String, where accepts: (AuthError.Code) -> Bool, _ body: () async throws -> Void
) async throws {
    do {
        try await body()
    } catch let error as AuthError {
        try expect(accepts(error.code), "it threw \(error.code.name) and not \(expected)")
        return
    } catch let unsent as NotSent {
        try expect(accepts(unsent.error.code), "it threw \(unsent.error.code.name) and not \(expected)")
        return
    } catch let open as StillOpen {
        try expect(accepts(open.error.code), "it threw \(open.error.code.name) and not \(expected)")
        return
    } catch {
        throw Broken("it threw \(Clauses.shown(error)) and not \(expected)")
    }
    throw Broken("it did not throw \(expected)")
}

/// Throws ``Broken`` unless `body` throws a ``/Latchkey/StoreConflict``.
func expectConflict(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch is StoreConflict {
        return
    } catch {
        throw Broken("it threw \(Clauses.shown(error)) and not StoreConflict")
    }
    throw Broken("it did not throw StoreConflict")
}

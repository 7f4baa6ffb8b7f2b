import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Stands between a store and its server on this machine, and takes the connection away: after an answer is lost, or for
/// a while. It knows nothing of what is said: what the server sends after a request is one answer.
public final class CuttingProxy: Sendable {
    /// What becomes of one answer, and of the connection that it came on.
    public enum Cut: String, CaseIterable, Sendable {
        /// The answer is dropped, and the connection is closed.
        case answer
        /// Half of the answer arrives, and the connection is closed.
        case half
        /// The answer is dropped, and the connection stays open and silent.
        case silence
        /// The request never reaches the server, and the connection is closed.
        case request
    }

    /// What the way to the server is like.
    public enum Way: Sendable {
        /// Open: what comes is passed on, but for what ``CuttingProxy/cut(every:by:after:most:)`` says.
        case open
        /// No connection is accepted, and those that are open are closed.
        case closed
        /// Connections are accepted and stay open, and nothing is passed on.
        case silent
    }

    struct State {
        var way = Way.open
        var every: Int?
        var after = 0
        var most = Int.max
        var cuts: [Cut] = []
        var answers = 0
        var cutAnswers = 0
        var connections: Set<Int32> = []
        var isStopped = false
    }

    /// Where the proxy listens, on 127.0.0.1.
    public let port: UInt16
    private let server: UInt16
    private let listening: Int32
    private let state = Locked(State())

    /// Listens on a free port of 127.0.0.1, and passes what comes to `server` there.
    ///
    /// - Throws: An error if the system has no socket or thread.
    public init(to server: UInt16) throws {
        self.server = server
        (listening, port) = try Loopback.listening()
        try Loopback.accept(at: listening) { [weak self] in self?.serve($0) ?? Self.hangUp($0) }
    }

    deinit { stop() }

    /// Closes every connection, and listens no more.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            return !state.isStopped
        }
        if isFirst { shutdown(listening, Int32(SHUT_RDWR)) }
    }

    /// Opens or closes the way to the server.
    public func set(_ way: Way) {
        state.withLock { state in
            // What was dropped in silence is missing for good.
            if case .open = state.way, case .open = way { return }
            if case .open = state.way, case .silent = way {
                state.way = way
                return
            }
            state.way = way
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// From now on, every `count`th answer of the server is cut, in the ways of `cuts` in turn.
    ///
    /// - Parameters:
    ///   - count: Which of the answers: each seventh by 7; `nil` ends the cutting.
    ///   - cuts: How they are cut.
    ///   - after: How many answers come before that is so.
    ///   - most: How many are cut.
    public func cut(every count: Int?, by cuts: [Cut] = [.answer], after: Int = 0, most: Int = .max) {
        state.withLock { state in
            (state.every, state.cuts) = (cuts.isEmpty ? nil : count, cuts)
            (state.after, state.most) = (after, most)
            (state.answers, state.cutAnswers) = (0, 0)
        }
    }

    /// How many answers were cut since ``cut(every:by:after:most:)`` was called.
    public var cutAnswers: Int { state.withLock { $0.cutAnswers } }

    private static func hangUp(_ connection: Int32) { close(connection) }

    /// Passes on what comes on one connection, on its own thread.
    private func serve(_ client: Int32) {
        defer { close(client) }
        guard join(client) else { return }
        defer { leave(client) }
        guard let server = try? Loopback.connected(to: server) else { return }
        defer { close(server) }
        guard join(server) else { return }
        defer { leave(server) }
        var relay = Relay(client: client, server: server)
        while relay.wait() {
            if case .silent = state.withLock({ $0.way }) {
                guard relay.drop() else { return }
                continue
            }
            if relay.clientSpoke {
                guard let request = relay.read(client) else { return }
                relay.cut = nextCut()
                if relay.cut == .request { return }
                guard Loopback.write(request, to: server) else { return }
            }
            if relay.serverSpoke {
                guard let answer = relay.read(server) else { return }
                guard pass(answer, &relay) else { return }
            }
        }
    }

    /// Whether the connection goes on after `answer`.
    private func pass(_ answer: [UInt8], _ relay: inout Relay) -> Bool {
        switch relay.cut {
        case nil: return Loopback.write(answer, to: relay.client)
        case .answer, .request: return false
        case .half:
            Loopback.write(Array(answer.prefix(answer.count / 2)), to: relay.client)
            return false
        case .silence: return true
        }
    }

    /// Whether, and how, the answer to the request that has just come is cut.
    private func nextCut() -> Cut? {
        state.withLock { state in
            guard let every = state.every else { return nil }
            state.answers += 1
            let number = state.answers - state.after
            guard number > 0, number % every == 0, state.cutAnswers < state.most else { return nil }
            defer { state.cutAnswers += 1 }
            return state.cuts[state.cutAnswers % state.cuts.count]
        }
    }

    private func join(_ connection: Int32) -> Bool {
        state.withLock { state in
            if state.isStopped { return false }
            if case .closed = state.way { return false }
            state.connections.insert(connection)
            return true
        }
    }

    private func leave(_ connection: Int32) { state.withLock { _ = $0.connections.remove(connection) } }
}

/// The two sides of one connection.
private struct Relay {
    let client: Int32
    let server: Int32
    /// What becomes of the answer to the last request.
    var cut: CuttingProxy.Cut?
    private(set) var clientSpoke = false
    private(set) var serverSpoke = false
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    /// Waits until one of the two has said something, or has gone.
    mutating func wait() -> Bool {
        var sides = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&sides, 2, -1)
            if count < 0, errno == EINTR { continue }
            (clientSpoke, serverSpoke) = (sides[0].revents != 0, sides[1].revents != 0)
            return count > 0
        }
    }

    /// What came; `nil` if the side has gone.
    mutating func read(_ side: Int32) -> [UInt8]? {
        let count = recv(side, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Drops what came; `false` if a side has gone.
    mutating func drop() -> Bool {
        if clientSpoke, read(client) == nil { return false }
        if serverSpoke, read(server) == nil { return false }
        return true
    }
}

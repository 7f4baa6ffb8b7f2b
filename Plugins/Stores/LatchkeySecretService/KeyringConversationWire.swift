import Latchkey

/// The attributes of an item to search for or to make. Any program may see them.
struct ItemAttributes: Sendable {
    var application: String
    var kind: String
    /// A digest of the name, never the name itself; `nil` for every item of the kind.
    var name: String?

    /// Names and values, alternating.
    var pairs: [String] {
        ["latchkey:format", "1", "latchkey:application", application, "latchkey:kind", kind]
            + (name.map { ["latchkey:name", $0] } ?? [])
    }
}

#if SecretService
    import CSecret
    import Glibc

    /// Stops a conversation from another thread.
    ///
    /// `@unchecked Sendable`: GIO documents `g_cancellable_cancel` and references as safe from any thread, and the
    /// pointer is used for nothing else here.
    final class KeyringStop: @unchecked Sendable {
        fileprivate let cancellable: OpaquePointer

        /// Loads libsecret, unless it is loaded.
        ///
        /// - Throws: `notInstalled`.
        init() throws {
            guard shim_secret_load() != 0 else { throw KeyringProblem.notInstalled }
            cancellable = shim_stop_new()
        }

        func stop() { shim_stop_now(cancellable) }

        deinit { shim_stop_free(cancellable) }
    }

    /// One connection to the service. Every call blocks.
    ///
    /// `@unchecked Sendable`: one thread at a time uses it, in ``use(stop:_:)``. ``KeyringConversations`` takes it
    /// out of its list, under a lock, before use, and puts it back afterwards. GLib allows a connection and a
    /// context to change threads in between.
    final class KeyringConversation: @unchecked Sendable {
        private let ring: OpaquePointer
        /// Stops the call that is under way. Held here because the ring points to it.
        private var stop: KeyringStop?

        static let isBuiltIn = true
        /// What the loader says of a libsecret that is there and cannot be loaded.
        static var refusal: String? { shim_secret_refusal().map { String(cString: $0) } }

        init(at address: String, stop: KeyringStop) throws {
            guard let ring = shim_ring_new() else { throw KeyringProblem.other }
            self.ring = ring
            try use(stop: stop) { _ in
                try check(shim_open(ring, address))
                try check(shim_begin(ring))
            }
        }

        /// Calls `body`; `stop` ends any wait in it.
        func use<Value>(stop: KeyringStop, _ body: (KeyringConversation) throws -> Value) rethrows -> Value {
            shim_enter(ring, stop.cancellable)
            self.stop = stop
            defer { shim_leave(ring) }
            return try body(self)
        }

        /// Lets go of `stop` when no call is under way, so that a late stop does not affect the next call.
        func rest() {
            shim_rest(ring)
            stop = nil
        }

        /// Whether the service is still the one that it connected to: a restarted service does not know this
        /// connection.
        var isUsable: Bool { shim_is_usable(ring) != 0 }
        var isClosed: Bool { shim_is_closed(ring) != 0 }

        deinit { shim_close(ring) }

        /// Returns the default collection, if it is open.
        func openCollection() throws -> String {
            let path = try collection()
            guard try !isLocked(path) else { throw KeyringProblem.locked }
            return path
        }

        func collection() throws -> String {
            guard let path = shim_default(ring) else {
                try check(shim_last_problem(ring))
                throw KeyringProblem.noCollection
            }
            defer { shim_free(path) }
            return String(cString: path)
        }

        func isLocked(_ collection: String) throws -> Bool {
            let answer = shim_is_locked(ring, collection)
            if answer < 0 { try check(shim_last_problem(ring)) }
            return answer != 0
        }

        /// Returns the items in `collection`, which was open. A locked collection does not tell whether it has any.
        func items(_ attributes: ItemAttributes, in collection: String) throws -> [String] {
            var open: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
            var locked: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
            try withPairs(attributes) { pairs, count in try check(shim_search(ring, pairs, count, &open, &locked)) }
            defer {
                shim_free_all(open)
                shim_free_all(locked)
            }
            // Ignore the collection's aliases and other collections.
            func inside(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
                var found: [String] = []
                var next = list
                while let text = next?.pointee {
                    found.append(String(cString: text))
                    next = next?.advanced(by: 1)
                }
                return found.filter { $0.hasPrefix(collection + "/") }
            }
            guard inside(locked).isEmpty else { throw KeyringProblem.locked }
            let found = inside(open)
            // The collection was locked since the check: gnome-keyring may find nothing then.
            if found.isEmpty, try isLocked(collection) { throw KeyringProblem.locked }
            return found
        }

        /// Returns the item's text.
        func text(of item: String) throws -> Secret {
            guard let value = shim_secret(ring, item) else {
                try check(shim_last_problem(ring))
                throw KeyringProblem.other
            }
            defer { shim_secret_free(value) }
            var count = 0
            let bytes = shim_secret_bytes(value, &count)
            return Secret(copying: UnsafeRawBufferPointer(start: bytes, count: count))
        }

        func put(_ text: Secret, label: String, _ attributes: ItemAttributes, in collection: String) throws {
            try text.withBytes { bytes in
                try withPairs(attributes) { pairs, count in
                    try check(
                        shim_put(
                            ring, collection, label, pairs, count,
                            bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count))
                }
            }
        }

        func delete(_ item: String) throws { try check(shim_delete(ring, item)) }

        /// Shows the service's own prompt; `false` if the person said no.
        func unlock(_ collection: String) throws -> Bool {
            let answer = shim_unlock(ring, collection)
            if answer < 0 { try check(shim_last_problem(ring)) }
            return try answer > 0 && !isLocked(collection)
        }

        private func check(_ problem: Int32) throws {
            if problem != 0 { throw Self.error(problem) }
        }

        private static func error(_ problem: Int32) -> KeyringProblem {
            switch UInt32(problem) {
            case SHIM_CANCELLED.rawValue, SHIM_NO_ANSWER.rawValue: .noAnswer
            case SHIM_NO_BUS.rawValue: .noBus
            case SHIM_NO_SERVICE.rawValue: .noService
            case SHIM_LOCKED.rawValue: .locked
            case SHIM_NO_OBJECT.rawValue: .gone
            default: .other
            }
        }

        private func withPairs<Value>(
            _ attributes: ItemAttributes, _ body: (UnsafePointer<UnsafePointer<CChar>?>, Int32) throws -> Value
        ) rethrows -> Value {
            let texts = attributes.pairs.map { strdup($0) }
            defer { for text in texts { free(text) } }
            let pointers = texts.map { UnsafePointer($0) }
            return try pointers.withUnsafeBufferPointer { pointers in
                // Never empty, because every item has its format.
                guard let first = pointers.baseAddress else { preconditionFailure("attributes without a pair") }
                return try body(first, Int32(pointers.count / 2))
            }
        }
    }
#else
    /// Does nothing: this program was built without libsecret.
    final class KeyringStop: Sendable {
        init() throws { throw KeyringProblem.notBuiltIn }
        func stop() {}
    }

    /// Refuses everything: this program was built without libsecret.
    final class KeyringConversation: Sendable {
        static let isBuiltIn = false
        static let refusal: String? = nil

        init(at address: String, stop: KeyringStop) throws { throw KeyringProblem.notBuiltIn }
        func use<Value>(stop: KeyringStop, _ body: (KeyringConversation) throws -> Value) rethrows -> Value {
            try body(self)
        }
        func rest() {}
        var isUsable: Bool { false }
        var isClosed: Bool { true }

        func openCollection() throws -> String { throw KeyringProblem.notBuiltIn }
        func collection() throws -> String { throw KeyringProblem.notBuiltIn }
        func isLocked(_ collection: String) throws -> Bool { throw KeyringProblem.notBuiltIn }
        func items(_ attributes: ItemAttributes, in collection: String) throws -> [String] {
            throw KeyringProblem.notBuiltIn
        }
        func text(of item: String) throws -> Secret { throw KeyringProblem.notBuiltIn }
        func put(_ text: Secret, label: String, _ attributes: ItemAttributes, in collection: String) throws {
            throw KeyringProblem.notBuiltIn
        }
        func delete(_ item: String) throws { throw KeyringProblem.notBuiltIn }
        func unlock(_ collection: String) throws -> Bool { throw KeyringProblem.notBuiltIn }
    }
#endif

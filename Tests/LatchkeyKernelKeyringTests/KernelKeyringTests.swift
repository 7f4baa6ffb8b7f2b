#if os(Linux)
    import CKeyring
    import Latchkey
    import Testing

    @testable import LatchkeyKernelKeyring

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Against the kernel of this machine; each test under names of its own, taken away at the end.
    @Suite("kernel keyring") struct KernelKeyringTests {
        /// Runs `body` where the kernel lets this process; says so where it does not.
        private func withRing(
            timeToLive: Duration? = nil, place: KernelKeyring.Place = .user, _ body: (KernelKeyring) throws -> Void
        ) throws {
            let ring = KernelKeyring(
                application: "test-\(PluginContext.system.randomName())", place: place, timeToLive: timeToLive)
            if case .missing(let reason) = ring.availability() {
                if getenv("LATCHKEY_REQUIRE_SERVERS").map({ String(cString: $0) }) == "1" { Issue.record("\(reason)") }
                try Test.cancel("\(reason)")
            }
            defer { for name in ["a", "b"] { try? ring.remove(name) } }
            try body(ring)
        }

        private func id(_ name: String, of ring: KernelKeyring) throws -> UInt {
            let name = ring.name(of: name)
            return UInt(
                bitPattern: try KernelCalls.type.withCString { type in
                    try name.withCString {
                        try KernelCalls.system.control(
                            .search, UInt(bitPattern: Int(KernelCalls.Ring.user)), UInt(bitPattern: type),
                            UInt(bitPattern: $0), 0)
                    }
                })
        }

        @Test(
            "gives what was kept, under its name and application alone",
            arguments: [KernelKeyring.Place.user, .persistent])
        func keeps(place: KernelKeyring.Place) throws {
            try withRing(place: place) { ring in
                #expect(try ring.value("a") == nil)
                let value = Secret([UInt8](0..<64))
                try ring.set(value, under: "a")
                #expect(try ring.value("a") == value)
                #expect(try ring.value("b") == nil)
                let other = KernelKeyring(application: ring.application + "x", place: place)
                #expect(try other.value("a") == nil)
                try ring.set(Secret([0]), under: "a")
                #expect(try ring.value("a") == Secret([0]))
                try ring.remove("a")
                #expect(try ring.value("a") == nil)
                try ring.remove("a")
            }
        }

        @Test(
            "refuses values that are empty or longer than 64 bytes, and keeps the old one", arguments: [0, 65, 4_096])
        func lengths(count: Int) throws {
            try withRing { ring in
                try ring.set(Secret([1]), under: "a")
                let error = #expect(throws: AuthError.self) {
                    try ring.set(Secret([UInt8](repeating: 1, count: count)), under: "a")
                }
                #expect(error?.code == .configuration(.invalid))
                #expect(try ring.value("a") == Secret([1]))
            }
        }

        @Test("takes a longer value, put there by somebody else, for damaged") func longer() throws {
            try withRing { ring in
                try ring.set(Secret([1]), under: "a")
                let bytes = [UInt8](repeating: 7, count: 65)
                _ = try bytes.withUnsafeBytes {
                    try KernelCalls.system.add(ring.name(of: "a"), $0, KernelCalls.Ring.user)
                }
                #expect(throws: AuthError.self) { try ring.value("a") }
                do { _ = try ring.value("a") } catch let error as AuthError { #expect(error.code == .store(.damaged)) }
            }
        }

        @Test("takes a revoked key for absent, and can keep another") func revoked() throws {
            try withRing { ring in
                try ring.set(Secret([1]), under: "a")
                _ = try KernelCalls.system.control(.revoke, try id("a", of: ring), 0, 0, 0)
                #expect(try ring.value("a") == nil)
                try ring.set(Secret([2]), under: "a")
                #expect(try ring.value("a") == Secret([2]))
            }
        }

        @Test("tells the kernel when to forget") func time() throws {
            try withRing(timeToLive: .seconds(1)) { ring in
                try ring.set(Secret([1]), under: "a")
                try ring.set(Secret([1]), under: "a")
                #expect(try ring.value("a") != nil)
                // The kernel's own clock, which no test can turn: asked until it is over, for ten seconds at most.
                let end = ContinuousClock.now + .seconds(10)
                while try ring.value("a") != nil, ContinuousClock.now < end { usleep(20_000) }
                #expect(try ring.value("a") == nil)
                try ring.set(Secret([2]), under: "a")
                #expect(try ring.value("a") == Secret([2]))
            }
        }

        @Test("never takes a key that cannot be read for an absent one") func unreadable() throws {
            try withRing { ring in
                try ring.set(Secret([1]), under: "a")
                // There, and neither found nor read: view and set-attributes alone.
                _ = try KernelCalls.system.control(.setPermissions, try id("a", of: ring), 0x2100_0000, 0, 0)
                let error = #expect(throws: AuthError.self) { try ring.value("a") }
                #expect(error?.code == .store(.unavailable))
            }
        }

        @Test("shows neither names nor values in the kernel's list") func list() throws {
            try withRing { ring in
                try ring.set(Secret("hunter2hunter2"), under: "a")
                let shown = ring.name(of: "alice@example.com")
                #expect(!shown.contains("alice") && !shown.contains(ring.application))
                #expect(ring.name(of: "a") != ring.name(of: "b"))
                let list = try SystemFiles().read("/proc/keys", limit: 1 << 20).map {
                    String(decoding: $0, as: UTF8.self)
                }
                let line = list?.split(separator: "\n").first { $0.contains(ring.name(of: "a")) }
                // Fifth column: to the possessor everything, to the user, the group and all others nothing.
                if let line { #expect(line.contains(" 3f000000 ")) }
                #expect(!(list ?? "").contains("hunter2"))
            }
        }

        @Test("holds keys as a key holder") func holder() async throws {
            let holder = KernelKeyHolder(application: "test-\(PluginContext.system.randomName())")
            if case .missing(let reason) = await holder.availability() { try Test.cancel("\(reason)") }
            let key = Secret([UInt8](repeating: 9, count: 32))
            try await holder.keep(key, under: "vault")
            #expect(try await holder.key("vault") == key)
            try await holder.remove("vault")
            #expect(try await holder.key("vault") == nil)
            #expect(holder.source == "kernel-keyring")
        }
    }

    /// What the kernel of this machine does not say when asked.
    @Suite("kernel keyring, refusing") struct KernelRefusalTests {
        private func ring(_ number: Int32, at refused: KernelCalls.Operation? = nil) -> KernelKeyring {
            KernelKeyring(
                application: "test", place: .user, timeToLive: nil,
                calls: KernelCalls(
                    add: { _, _, _ in
                        if refused == nil { throw KernelCalls.Failure(number: number) }
                        return 1
                    },
                    control: { operation, _, _, _, _ in
                        if operation == refused { throw KernelCalls.Failure(number: number) }
                        return 1
                    }))
        }

        @Test("is missing where the kernel or the container says so", arguments: [EPERM, ENOSYS])
        func missing(number: Int32) {
            let ring = ring(number, at: .link)
            guard case .missing(let reason) = ring.availability() else {
                Issue.record("it is available")
                return
            }
            #expect(reason.contains("keyring"))
            let error = #expect(throws: AuthError.self) { try ring.value("a") }
            #expect(error?.code == .store(.unavailable))
        }

        @Test("is full where the user's quota is") func full() {
            let error = #expect(throws: AuthError.self) { try ring(EDQUOT).set(Secret([1]), under: "a") }
            #expect(error?.code == .store(.full))
        }

        @Test("is absent only where the kernel says so", arguments: [ENOKEY, EKEYEXPIRED, EKEYREVOKED])
        func absent(number: Int32) throws {
            #expect(try ring(number, at: .search).value("a") == nil)
            #expect(try ring(number, at: .read).value("a") == nil)
        }

        @Test("is unavailable, and never absent, for anything else", arguments: [EACCES, EPERM, ENOSYS, EINTR, EIO])
        func unavailable(number: Int32) {
            for operation in [KernelCalls.Operation.link, .search, .read] {
                let error = #expect(throws: AuthError.self) { try ring(number, at: operation).value("a") }
                #expect(error?.code == .store(.unavailable))
            }
        }
    }
#endif

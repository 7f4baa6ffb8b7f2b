#if os(Linux) && SecretService
    import Latchkey
    import Testing

    @testable import LatchkeySecretService
    @testable import LatchkeyTesting

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Against a real gnome-keyring-daemon on a private bus.
    @Suite("secret service", .serialized) struct SecretServiceTests {
        private let key = Secret([UInt8](0..<32))

        private func code(_ body: () async throws -> Void) async -> AuthError.Code? {
            do { try await body() } catch let error as AuthError { return error.code } catch {}
            return nil
        }

        @Test("keeps the store contract") func contract() async throws {
            try await PrivateKeyring.with { keyring in
                let (keyring, random) = (keyring, SeededRandom(seed: 1))
                try await StoreContract(
                    reopening: { store, context in keyring.store(store.keyring.application, context) }
                ) { keyring.store("app\(random.next())", $0) }.run()
            }
        }

        @Test("keeps the contract of stores that several processes use") func crossContract() async throws {
            try await PrivateKeyring.with { keyring in
                let (keyring, random) = (keyring, SeededRandom(seed: 2))
                try await CrossProcessStoreContract { context in
                    let name = "app\(random.next())"
                    return (keyring.store(name, context), keyring.store(name, context))
                }.run()
            }
        }

        @Test("keeps the contract of real processes that are killed") func processes() async throws {
            try await PrivateKeyring.with { keyring in
                let address = keyring.address
                try await StoreProcessContract(.built("keyring-member", arguments: [address]), kills: 12) { folder in
                    SecretServiceStore(
                        SecretServiceKeyring(application: "test\(folder)", busAddress: address),
                        locksIn: "\(folder)/locks")
                }.run()
            }
        }

        @Test("loses no increment of eight processes") func eight() async throws {
            try await PrivateKeyring.with { keyring in
                let folder = keyring.folder["eight"]
                try SystemFiles().makeDirectory(folder)
                let program = StoreProcessContract.Program.built("keyring-member").path
                let members = try (1...8).map { _ in try Child(program, [keyring.address, folder, "5"]) }
                for member in members {
                    let status = try await member.ended().status
                    guard status == 0 else { throw Child.Failed(description: "a member ended with \(status)") }
                }
                let store = SecretServiceStore(
                    SecretServiceKeyring(application: "test\(folder)", busAddress: keyring.address),
                    locksIn: "\(folder)/locks")
                let found = try await store.read(StoreKey(.settings, "counter"))
                #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == "40")
            }
        }

        @Test("keeps a key for the next one who asks, as one line of base64url") func keeps() async throws {
            try await PrivateKeyring.with { keyring in
                let holder = keyring.holder
                #expect(await holder.availability() == .available)
                #expect(try await holder.key("a") == nil)
                try await holder.keep(key, under: "a")
                try await holder.keep(Secret([UInt8](repeating: 5, count: 32)), under: "a")
                try await holder.keep(key, under: "a")
                #expect(try await keyring.holder.key("a") == key)
                #expect(try await holder.key("b") == nil)
                let list = try await keyring.control("list")
                #expect(list.split(separator: "\n").count == 1)
                #expect(list.hasPrefix("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8 "))
                try await holder.remove("a")
                try await holder.remove("a")
                #expect(try await holder.key("a") == nil)
            }
        }

        @Test("refuses keys of other lengths", arguments: [0, 31, 33]) func lengths(count: Int) async throws {
            try await PrivateKeyring.with { keyring in
                let holder = keyring.holder
                let found = await code {
                    try await holder.keep(Secret([UInt8](repeating: 1, count: count)), under: "a")
                }
                #expect(found == .configuration(.invalid))
            }
        }

        @Test("says locked, and never that nothing is there, also of what never was") func locked() async throws {
            try await PrivateKeyring.with { keyring in
                let (holder, store, account) = (keyring.holder, keyring.store(), StoreKey(.credential, "alice"))
                try await holder.keep(key, under: "a")
                let version = try await store.replace(account, at: nil, with: [1])
                try await keyring.control("lock")
                #expect(await holder.availability() == .available)
                #expect(try await keyring.service.isLocked())
                for name in ["a", "never"] {
                    #expect(await code { _ = try await holder.key(name) } == .locked)
                    #expect(await code { try await holder.keep(key, under: name) } == .locked)
                    #expect(await code { try await holder.remove(name) } == .locked)
                }
                #expect(await code { _ = try await store.read(account) } == .locked)
                #expect(await code { _ = try await store.keys(.credential) } == .locked)
                #expect(await code { try await store.replace(account, at: version, with: nil) } == .locked)
                #expect(await code { try await store.replace(StoreKey(.settings, "b"), at: nil, with: [1]) } == .locked)
                try await keyring.control("unlock", PrivateKeyring.password)
                #expect(try await holder.key("a") == key)
                #expect(try await store.read(account)?.version == version)
                #expect(try await store.keys(.settings).isEmpty)
            }
        }

        @Test("asks for nothing where the keyring is open, and says when nobody can be asked") func unlocking()
            async throws
        {
            try await PrivateKeyring.with { keyring in
                try await keyring.service.unlockKeyring(deadline: .seconds(5))
                try await keyring.control("lock")
                // There is no program that prompts on this bus.
                let found = await code { try await keyring.service.unlockKeyring(deadline: .seconds(3)) }
                #expect(found == .declined || found == .store(.unavailable))
                #expect(try await keyring.service.isLocked())
            }
        }

        @Test("says what to do where there is no default collection") func noCollection() async throws {
            try await PrivateKeyring.with(unlocked: false) { keyring in
                guard case .missing(let reason) = await keyring.holder.availability() else {
                    Issue.record("it is available")
                    return
                }
                #expect(reason.contains("no default collection: make one"))
                #expect(await code { _ = try await keyring.holder.key("a") } == .store(.unavailable))
                #expect(await code { try await keyring.holder.keep(key, under: "a") } == .store(.unavailable))
            }
        }

        @Test("says at once that no keyring is on the bus") func noService() async throws {
            try await PrivateKeyring.with(unlocked: nil) { keyring in
                guard case .missing(let reason) = await keyring.holder.availability() else {
                    Issue.record("it is available")
                    return
                }
                #expect(reason.contains("no keyring runs"))
                #expect(
                    await code { _ = try await keyring.store().read(StoreKey(.settings, "a")) } == .store(.unavailable))
            }
        }

        @Test("waits two seconds for a keyring that never answers, and no longer") func hanging() async throws {
            try await PrivateKeyring.with(unlocked: nil) { keyring in
                let mute = try Child("/usr/bin/python3", [PrivateKeyring.script, keyring.address, "own"])
                #expect(mute.line() == "ready")
                let start = ContinuousClock.now
                let error = await #expect(throws: AuthError.self) { _ = try await keyring.holder.key("a") }
                let took = ContinuousClock.now - start
                #expect(error?.code == .store(.unavailable))
                #expect(error?.message == "the keyring does not answer")
                #expect(took > .milliseconds(1_900) && took < .milliseconds(2_900), "\(took)")
                mute.kill()
            }
        }

        @Test("gets over a keyring, or a bus, that stands still and goes on") func stopped() async throws {
            try await PrivateKeyring.with { keyring in
                try await keyring.holder.keep(key, under: "a")
                for program in [keyring.daemon, keyring.bus].compactMap({ $0 }) {
                    program.signal(SIGSTOP)
                    let found = await code { _ = try await keyring.holder.key("a") }
                    program.signal(SIGCONT)
                    #expect(found == .store(.unavailable))
                    #expect(try await keyring.holder.key("a") == key)
                }
            }
        }

        @Test("tells a keyring that was killed from one that has nothing, and finds it again") func killed()
            async throws
        {
            try await PrivateKeyring.with { keyring in
                let store = keyring.store()
                let account = StoreKey(.credential, "alice")
                let version = try await store.replace(account, at: nil, with: [1, 2, 3])
                keyring.daemon?.kill()
                #expect(await code { _ = try await store.read(account) } == .store(.unavailable))
                #expect(await code { try await store.replace(account, at: version, with: nil) } == .store(.unavailable))
                try await keyring.start()
                #expect(try await store.read(account)?.bytes == [1, 2, 3])
                keyring.bus.kill()
                #expect(await code { _ = try await store.read(account) } == .store(.unavailable))
            }
        }

        @Test("touches no item of others") func others() async throws {
            try await PrivateKeyring.with { keyring in
                try await keyring.control("put", "one", "latchkey:application=test")
                try await keyring.control("put", "two", "service=mail", "account=alice")
                try await keyring.control("put", "three", "latchkey:format=1", "latchkey:application=other")
                let before = try await keyring.control("list")
                #expect(before.split(separator: "\n").count == 3)
                #expect(
                    before.split(separator: "\n").allSatisfy { $0.contains("xdg:schema=") }, "complete from the start")
                let store = keyring.store()
                let version = try await store.replace(StoreKey(.credential, "alice"), at: nil, with: [1])
                try await keyring.holder.keep(key, under: "a")
                #expect(try await store.keys(.credential) == [StoreKey(.credential, "alice")])
                try await keyring.holder.remove("a")
                try await store.replace(StoreKey(.credential, "alice"), at: version, with: nil)
                let after = try await keyring.control("list")
                #expect(after == before)
            }
        }

        @Test("takes an item that was changed for damaged, and never writes over it") func damaged() async throws {
            try await PrivateKeyring.with { keyring in
                let (store, account) = (keyring.store(), StoreKey(.credential, "alice"))
                let version = try await store.replace(account, at: nil, with: [1])
                try await keyring.holder.keep(key, under: "a")
                try await keyring.control("spoil", "AQID")
                #expect(await code { _ = try await keyring.holder.key("a") } == .store(.damaged))
                #expect(await code { _ = try await store.read(account) } == .store(.damaged))
                #expect(await code { _ = try await store.keys(.credential) } == .store(.damaged))
                for at in [version, nil] {
                    #expect(await code { try await store.replace(account, at: at, with: [2]) } == .store(.damaged))
                }
                #expect(try await keyring.control("list").split(separator: "\n").allSatisfy { $0.hasPrefix("AQID ") })
            }
        }

        @Test("takes records of a mebibyte, and refuses larger ones before it asks") func sizes() async throws {
            try await PrivateKeyring.with { keyring in
                let (store, large) = (keyring.store(), StoreKey(.settings, "large"))
                let bytes = [UInt8](repeating: 0xA5, count: SecretServiceStore.recordLimit)
                let version = try await store.replace(large, at: nil, with: bytes)
                #expect(try await store.read(large)?.bytes == bytes)
                #expect(
                    await code { try await store.replace(large, at: version, with: bytes + [1]) }
                        == .configuration(.invalid))
                #expect(try await store.read(large)?.version == version)
            }
        }

        @Test("shows no name in attributes, nor on the keyring's disk") func names() async throws {
            try await PrivateKeyring.with { keyring in
                try await keyring.store().replace(StoreKey(.credential, "alice@example.com"), at: nil, with: [1])
                #expect(try await !keyring.control("list").contains("alice"))
                let files = SystemFiles()
                for name in try files.list(keyring.folder["locks-test"]) { #expect(!name.contains("alice")) }
            }
        }
    }
#endif

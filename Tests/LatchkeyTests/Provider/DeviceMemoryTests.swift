import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// What a provider remembers between sign-ins.
@Suite struct DeviceMemoryTests {
    private static let alice = AccountID("alice")
    private static let binding = ProviderBinding(provider: "p", authority: "https://id.example.com", client: "c")

    private func memory(_ store: any SessionStore, _ binding: ProviderBinding = binding) -> DeviceMemory {
        DeviceMemory(store, of: binding)
    }

    @Test("what is kept comes back, apart for each account and configuration", .law(11))
    func kept() async throws {
        let store = MemoryStore()
        let memory = memory(store)
        #expect(try await memory.read() == nil)
        let every = Array(UInt8.min...UInt8.max)
        try await memory.replace(at: nil, with: every)
        let version = try await memory.replace(of: Self.alice, at: nil, with: [])
        #expect(try await memory.read()?.bytes == every)
        #expect(try await memory.read(of: Self.alice)?.bytes == [] && version != nil)
        #expect(try await memory.accounts() == [Self.alice])
        var other = Self.binding
        other.client = "c account alice"
        #expect(try await self.memory(store, other).read() == nil)
        other.client = "d"
        #expect(try await self.memory(store, other).read(of: Self.alice) == nil)
        #expect(try await self.memory(store, other).accounts().isEmpty)
    }

    @Test("only who read the last state replaces it")
    func conflict() async throws {
        let memory = memory(MemoryStore())
        let first = try await memory.replace(at: nil, with: [1])
        await #expect(throws: StoreConflict.self) { try await memory.replace(at: nil, with: [2]) }
        try await memory.replace(at: first, with: [3])
        await #expect(throws: StoreConflict.self) { try await memory.replace(at: first, with: [4]) }
        #expect(try await memory.read()?.bytes == [3])
    }

    @Test("more than 16 KiB is refused, and 16 KiB is not")
    func limit() async throws {
        let memory = memory(MemoryStore())
        let most = [UInt8](repeating: 255, count: DeviceMemory.limit)
        #expect(await code { try await memory.replace(at: nil, with: most + [1]) } == .configuration(.invalid))
        try await memory.replace(at: nil, with: most)
        #expect(try await memory.read()?.bytes == most)
    }

    @Test("what cannot be read is damaged, and stays")
    func damaged() async throws {
        let store = MemoryStore()
        try await memory(store).replace(at: nil, with: [1])
        let key = try #require(store.keys(.device).first)
        let found = try #require(try store.read(key))
        for bytes in ["{}", "no JSON", "{\"kind\":\"latchkey.device\",\"format\":1,\"content\":7}"] {
            let version = try store.read(key)?.version
            try store.replace(key, at: version, with: Array(bytes.utf8))
            #expect(await code { try await memory(store).read() } == .store(.damaged))
            #expect(try store.read(key)?.bytes == Array(bytes.utf8))
        }
        #expect(found.bytes.count > 1)
    }

    @Test("nothing of it prints")
    func redacted() async throws {
        let memory = memory(MemoryStore())
        try await memory.replace(at: nil, with: Array("device-key".utf8))
        let entry = try #require(try await memory.read())
        var dumped = ""
        dump(entry, to: &dumped)
        for text in ["\(entry)", "\(String(reflecting: entry))", dumped] { #expect(!text.contains("device-key")) }
    }

    @Test("a provider's memory outlives the sign-out, and goes by the person's word")
    func forgotten() async throws {
        let bench = Bench()
        let provider = RememberingProvider(inner: bench.service)
        let auth = try bench.process(seed: 9) { $0.provider(provider) }
        let session = try await auth.signIn(with: "remembering", .anonymous)
        #expect(session.label == "new device")
        _ = try await auth.signOut()
        let next = try bench.process(seed: 10) { $0.provider(provider) }
        #expect(try await next.signIn(with: "remembering", .anonymous).label == "known device")
        try await next.forgetDevice(at: "remembering", account: AccountID("somebody else"))
        #expect(try await next.signIn(with: "remembering", .anonymous).label == "known device")
        try await next.forgetDevice(at: "remembering")
        #expect(try await next.accessToken().value.isEmpty == false)
        #expect(try await next.signIn(with: "remembering", .anonymous).label == "new device")
        #expect(await code { try await next.forgetDevice(at: "unknown") } == .configuration(.invalid))
    }
}

/// Knows a device that it has seen before.
private struct RememberingProvider: AuthProvider {
    let inner: ScriptedProvider
    let rules = ProviderRules(
        binding: ProviderBinding(provider: "remembering", authority: "https://id.example.com", client: "tests"),
        methods: [.anonymous])

    func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        let known = try await context.memory.read()
        if known == nil { try await context.memory.replace(at: nil, with: Array("device-key".utf8)) }
        var session = inner.grant(in: context).sessions[0]
        session.account = AccountID(subject: "alice", of: rules.binding)
        session.label = known == nil ? "new device" : "known device"
        return .signedIn(Grant(refreshToken: Secret("r"), session))
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        throw AuthError(.declined, "no")
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        try await inner.refresh(credential, for: want, in: context)
    }
}

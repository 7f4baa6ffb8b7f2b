/// What a service's public documents say, such as its discovery document and its keys, kept between processes, so that a
/// program which runs for a moment asks for them once a day and not each time.
///
/// The engine keeps them in the app's store, beside the sessions: as private as they are. Only a program that can change
/// the sessions can change them. Nothing secret is in them. Where the store is only memory, or
/// ``EngineSettings/keepsDocuments`` is off, nothing is kept.
///
/// | Case | What ``read(_:)`` returns |
/// | --- | --- |
/// | Within the lifetime that was given, which ends after ``longest`` in any case | the document |
/// | Later, or from the future because a clock was set back | `nil` |
/// | Damaged, of a newer format, or in a store that refuses to read it (a file that others can read, a link) | `nil` |
/// | Fetched by a transport that trusts other authorities, or goes by another proxy (``TrustNaming``) | `nil` |
/// | Fetched by a sign-in or a refresh that came to nothing | `nil`: it was never stored |
///
/// A document is checked each time it is used, as when it was fetched. Forget it when something contradicts it.
public struct ServiceDocuments: Sendable {
    /// The longest time that a document is kept: a day. Who could once answer in the service's place has no use of it
    /// for longer.
    public static let longest = Duration.seconds(86_400)
    /// The most bytes of a document that is kept.
    public static let limit = 65_536

    /// A document as it was fetched.
    public struct Document: Hashable, Sendable {
        /// What the service answered.
        public var body: [UInt8]
        /// How long ago that was.
        public var age: Duration
        /// For how long it may still be used.
        public var rest: Duration

        /// Creates a document.
        public init(body: [UInt8], age: Duration, rest: Duration) {
            (self.body, self.age, self.rest) = (body, age, rest)
        }
    }

    private let shelf: DocumentShelf?
    private let binding: ProviderBinding?

    /// Creates a place that keeps nothing.
    public init() { (shelf, binding) = (nil, nil) }

    init(_ shelf: DocumentShelf?, of binding: ProviderBinding) { (self.shelf, self.binding) = (shelf, binding) }

    /// Returns the document from `address`; `nil` if none is kept that may be used.
    public func read(_ address: String) async -> Document? {
        guard let shelf, let binding else { return nil }
        return await shelf.read(address, of: binding)
    }

    /// Keeps a document that has just been fetched, once the call that it was fetched for has succeeded.
    ///
    /// A document of more than ``limit`` bytes, or that is not UTF-8, is not kept.
    public func keep(_ body: [UInt8], from address: String, for lifetime: Duration) async {
        guard let shelf, let binding else { return }
        await shelf.note(body, from: address, for: lifetime, of: binding)
    }

    /// Forgets the documents from `addresses`, here and in the store.
    public func forget(_ addresses: [String]) async {
        guard let shelf, let binding else { return }
        await shelf.forget(addresses, of: binding)
    }
}

public import Latchkey
import LatchkeyTesting

/// What the store is put through: the contracts of stores and of those that several processes use, on a disk in memory
/// that loses power where the store is opened anew.
@available(macOS 15, *)
public enum LogbookTrial {
    /// Runs both contracts over what `make` makes in a directory.
    ///
    /// - Parameter timeLimit: How long a clause may take, in real time.
    public static func run<Store: CrossProcessStore>(
        timeLimit: Duration = .seconds(30),
        _ make: @escaping @Sendable (_ directory: String, _ context: PluginContext) -> Store
    ) async throws {
        let world = World()
        try await StoreContract(
            context: world.context,
            damaging: { _, _ in try world.damage() },
            reopening: { _, _ in
                world.disk.crash(losing: .unsynced)
                return make(world.last, world.context)
            },
            timeLimit: timeLimit
        ) { make(world.next(), $0) }.run()
        try await CrossProcessStoreContract(context: world.context, timeLimit: timeLimit) { context in
            let place = world.next()
            return (make(place, context), make(place, context))
        }.run()
    }
}

/// A disk in memory, and folders on it.
@available(macOS 15, *)
final class World: Sendable {
    let disk = SimulatedDisk()
    private let places = Counter()

    /// The machine, but for its disk; each is another process.
    var context: PluginContext {
        var context = PluginContext.system
        context.files = SimulatedFiles(on: disk)
        return context
    }

    /// The folder that was used last.
    var last: String { "/home/alice/\(places.value)" }

    /// A new folder.
    func next() -> String {
        places.add()
        return last
    }

    /// Cuts the files of the last folder in two, but for those that only lock.
    func damage() throws {
        for name in try disk.names(last) where !name.hasSuffix("lock") {
            let path = "\(last)/\(name)"
            guard let bytes = try disk.content(path) else { continue }
            try disk.put(path, Array(bytes.prefix(bytes.count / 2)))
        }
    }
}

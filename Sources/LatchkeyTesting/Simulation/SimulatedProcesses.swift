import Latchkey

/// The processes of a simulated machine, as one of them sees them.
///
/// Numbers come again soon, as those of a real system do at last. Each third process runs in a container of its own: nobody
/// else can tell whether it still runs.
@available(macOS 15, iOS 18, *)
struct SimulatedProcesses: ProcessLooking {
    let files: SimulatedFiles

    var current: ProcessIdentity? {
        let process = files.process
        return ProcessIdentity(
            space: process % 3 == 2 ? "container \(process)" : "machine", number: 100 + process % 4, began: "\(process)"
        )
    }

    func state(of process: ProcessIdentity) -> ProcessState {
        guard let own = current, own.space == process.space, let number = Int(process.began) else { return .unknown }
        return files.runs(number) ? .running : .ended
    }
}

/// The content of a request, handed to libcurl piece by piece, once: there is no way back to its beginning.
struct CurlBody {
    private var bytes: [UInt8] = []
    private var given = 0

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Puts the next piece into `room`, and tells its length: 0 at the end.
    mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, bytes.count - given)
        bytes.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[given..<given + count]))
        }
        given += count
        return count
    }
}

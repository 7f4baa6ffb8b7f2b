import Latchkey
import LatchkeyDevServer

/// What is kept of the service's documents.
extension SignedIn {
    /// The files that hold them.
    var documentFiles: [String] {
        FilesBelow.list(data).filter { path in
            let bytes = (try? SystemFiles().read(path, limit: 1 << 20)) ?? []
            return path.hasSuffix(".record") && String(decoding: bytes, as: UTF8.self).contains("latchkey.documents")
        }
    }

    /// From now on a command asks the service for them.
    func forgetDocuments() throws {
        for path in documentFiles { try SystemFiles().remove(path) }
    }

    /// The endpoints that `work` asks for something.
    func asked(by work: () async throws -> Void) async throws -> [String] {
        let before = server.log().count
        try await work()
        return server.log().dropFirst(before).map { "\($0.endpoint)" }
    }
}

import Foundation
import LatchkeySystem

/// A server that speaks HTTP/2 over TLS, and HTTP/1.1 to those who ask for nothing newer. It does to each request of HTTP/2
/// what its plan says, and notes all.
final class StreamServer: Sendable {
    let port: UInt16
    let caFile: String
    private let folder: String
    private let process: Process

    /// `nil`, after a word why, when there is no `python3` or no `openssl` to run.
    ///
    /// - Parameter plan: What becomes of each request of HTTP/2, in order: `ok`, `refused` (REFUSED_STREAM), `old`
    ///   (HTTP_1_1_REQUIRED), `broken` (INTERNAL_ERROR), `away` (GOAWAY, with a last stream of 0), `away-old` (the same with
    ///   HTTP_1_1_REQUIRED), `last` (GOAWAY with this stream as the last, and no answer), `headed` (the beginning of an
    ///   answer, then REFUSED_STREAM). The last one is for all that follow.
    static func start(_ plan: [String]) async throws -> StreamServer? {
        let server = await DetachedThread.run { StreamServer(plan) }
        if case .some(.some(let server)) = server { return server }
        print("skipped: no python3 or openssl that serves HTTP/2")
        return nil
    }

    private init?(_ plan: [String]) {
        folder = NSTemporaryDirectory() + "latchkey-streams-\(UUID().uuidString)"
        caFile = folder + "/cert.pem"
        process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, folder] + plan
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil,
            (try? process.run()) != nil
        else { return nil }
        // It says its port in one write, once it listens.
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(said.split(separator: "\n").first ?? "") else { return nil }
        self.port = port
    }

    deinit {
        process.terminate()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var url: String { "https://127.0.0.1:\(port)/" }

    /// The protocol of each request, and the number of its connection: `2 1`.
    var requests: [String] {
        let text = (try? String(contentsOfFile: folder + "/requests", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private static let program = #"""
        import socket, ssl, struct, subprocess, sys, threading
        folder, plan = sys.argv[1], sys.argv[2:]
        subprocess.run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout key.pem "
            "-out cert.pem -subj /CN=test -addext subjectAltName=IP:127.0.0.1", shell=True, check=True, cwd=folder,
            stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
        context.set_alpn_protocols(["h2", "http/1.1"])
        lock, seen, connections = threading.Lock(), [], []

        def note(line):
            with lock:
                seen.append(line)
                with open(folder + "/requests", "a") as file:
                    file.write(line + "\n")
                return sum(1 for one in seen if one.startswith("2 "))

        def exactly(stream, count):
            data = b""
            while len(data) < count:
                piece = stream.recv(count - len(data))
                if not piece:
                    raise EOFError
                data += piece
            return data

        def frame(kind, flags, number, content=b""):
            return struct.pack(">I", len(content))[1:] + bytes([kind, flags]) + struct.pack(">I", number) + content

        def two(stream, own):
            exactly(stream, 24)
            stream.sendall(frame(4, 0, 0))
            while True:
                head = exactly(stream, 9)
                kind, flags, number = head[3], head[4], struct.unpack(">I", head[5:])[0]
                exactly(stream, int.from_bytes(head[:3], "big"))
                if kind == 4 and not flags & 1:
                    stream.sendall(frame(4, 1, 0))
                if kind not in (0, 1) or not flags & 1:
                    continue
                step = plan[min(note(f"2 {own}"), len(plan)) - 1]
                reset = {"refused": 7, "old": 13, "broken": 2, "headed": 7}.get(step)
                if step == "headed":
                    stream.sendall(frame(1, 4, number, b"\x88"))
                if reset is not None:
                    stream.sendall(frame(3, 0, number, struct.pack(">I", reset)))
                elif step in ("away", "away-old"):
                    stream.sendall(frame(7, 0, 0, struct.pack(">II", 0, 13 if step == "away-old" else 0)))
                elif step == "last":
                    stream.sendall(frame(7, 0, 0, struct.pack(">II", number, 0)))
                    stream.close()
                    return
                else:
                    stream.sendall(frame(1, 5, number, b"\x88"))

        def one(stream, own):
            while True:
                data = b""
                while b"\r\n\r\n" not in data:
                    data += exactly(stream, 1)
                for line in data.decode().split("\r\n"):
                    if line.lower().startswith("content-length:"):
                        exactly(stream, int(line.split(":")[1]))
                note(f"1 {own}")
                stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        def serve(connection):
            try:
                stream = context.wrap_socket(connection, server_side=True)
                with lock:
                    connections.append(1)
                    own = len(connections)
                (two if stream.selected_alpn_protocol() == "h2" else one)(stream, own)
            except (EOFError, OSError):
                pass

        listening = socket.create_server(("127.0.0.1", 0))
        print(listening.getsockname()[1], flush=True)
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()
        """#
}

import CMicrohttpd
import LatchkeySystem

/// The functions that the daemon calls on its thread. Their context is the ``ServerCore``, which outlives the
/// daemon. The slot of a request holds its ``Exchange``, retained until the request is completed.
enum ServerCallbacks {
    static var all: shim_mhd_callbacks {
        shim_mhd_callbacks(
            accepts: accepts, handle: handle, target: target, completed: completed, connection: connection,
            refuses: refuses)
    }

    /// libmicrohttpd 0.9.75 answers a request twice whose `Content-Length` it does not take. So it is answered here.
    private static let refuses: shim_mhd_refusal_callback = { context, status in
        guard let context else { return }
        let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        core.connections.refuse(Int(status)) { address in
            OpaquePointer(bitPattern: address).map { shim_mhd_head_size($0) != 0 } ?? false
        }
    }

    private static let accepts: MHD_AcceptPolicyCallback = { context, address, size in
        guard let context, let address, let peer = ConnectionEnds.End(address, size: Int(size)) else { return .NO }
        let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        return core.connections.admits { core.admits(peer) } ? .YES : .NO
    }

    private static let connection: MHD_NotifyConnectionCallback = { context, connection, _, event in
        guard let context, let connection else { return }
        let connections = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().connections
        let address = UInt(bitPattern: connection)
        guard shim_mhd_has_started(event) != 0 else { return connections.closed(address) }
        connections.opened(address, descriptor: shim_mhd_descriptor(connection))
    }

    private static let target: shim_mhd_target_callback = { _, target, _ in
        Unmanaged.passRetained(Exchange(target: target)).toOpaque()
    }

    private static let completed: MHD_RequestCompletedCallback = { context, connection, slot, _ in
        if let context, let connection {
            let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
            core.connections.completed(on: UInt(bitPattern: connection))
        }
        guard let slot, let raw = slot.pointee else { return }
        slot.pointee = nil
        let exchange = Unmanaged<Exchange>.fromOpaque(raw).takeRetainedValue()
        if case .answered(let response) = exchange.stage.withLock({ $0 }) { response?.whenDone?() }
    }

    private static let handle: MHD_AccessHandlerCallback = {
        context, connection, _, method, version, upload, size, slot in
        guard let context, let connection, let method, let size, let raw = slot?.pointee else { return .NO }
        let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        let exchange = Unmanaged<Exchange>.fromOpaque(raw).takeUnretainedValue()
        if let upload, size.pointee > 0 {
            let count = size.pointee
            let goesOn = upload.withMemoryRebound(to: UInt8.self, capacity: count) {
                exchange.append(UnsafeBufferPointer(start: $0, count: count), limit: core.limits.body)
            }
            size.pointee = 0
            return goesOn ? .YES : .NO
        }
        guard exchange.hasPlainLine(method: method, version: version) else {
            return refuse(400, exchange, core, connection)
        }
        return advance(exchange, core, connection, method, version)
    }

    private static func advance(
        _ exchange: Exchange, _ core: ServerCore, _ connection: OpaquePointer, _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>?
    ) -> MHD_Result {
        switch exchange.stage.withLock({ $0 }) {
        case .opened:
            core.connections.begun(on: UInt(bitPattern: connection))
            let refusal = exchange.begin(
                method: String(cString: method), at: UInt(bitPattern: method), version: version,
                connection: connection, limits: core.limits)
            guard let refusal else { return .YES }
            return refuse(refusal, exchange, core, connection)
        case .reading(let request):
            exchange.stage.withLock { $0 = .answering }
            return core.dispatch(request, of: exchange, on: connection) ? .YES : .NO
        case .draining(let refusal, _): return refuse(refusal, exchange, core, connection)
        case .answering: return .NO
        case .answered(let response): return response.map { queue($0, connection) } ?? .NO
        }
    }

    private static func refuse(
        _ status: Int, _ exchange: Exchange, _ core: ServerCore, _ connection: OpaquePointer
    ) -> MHD_Result {
        let mark = core.connections.mark(of: UInt(bitPattern: connection))
        let fields = exchange.fields.withLock { $0 }
        let told = core.refused(ServerRefusal(status: status, target: exchange.target, fields: fields, mark: mark))
        var refusal = told ?? ServerResponse.text("The request was refused.\n", status: status)
        refusal.set("Connection", "close")
        return queue(refusal, connection)
    }

    private static func queue(_ response: ServerResponse, _ connection: OpaquePointer) -> MHD_Result {
        guard (200...599).contains(response.status), let built = build(response) else {
            return queue(.text("The answer could not be written.\n", status: 500), connection)
        }
        defer { shim_mhd_destroy(built) }
        for field in response.fields where field.name.lowercased() != "content-length" {
            guard shim_mhd_add_field(built, field.name, field.value) == .YES else {
                return queue(.text("The answer could not be written.\n", status: 500), connection)
            }
        }
        return shim_mhd_queue(connection, UInt32(response.status), built)
    }

    private static func build(_ response: ServerResponse) -> OpaquePointer? {
        if let end = response.breaksAfter {
            let part = BrokenBody(Array(response.body.prefix(end)))
            let size = UInt64(max(response.body.count, part.bytes.count + 1))
            return shim_mhd_response_from(
                size, 4096, BrokenBody.read, Unmanaged.passRetained(part).toOpaque(), BrokenBody.free)
        }
        // MHD copies the bytes at once, so the pointer need not outlive the call.
        var body = response.body
        return body.withUnsafeMutableBytes {
            shim_mhd_response($0.count, $0.baseAddress)
        }
    }
}

/// The beginning of a body that is cut off.
private final class BrokenBody: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static let read: MHD_ContentReaderCallback = { context, position, target, capacity in
        guard let context, let target else { return shim_mhd_end_with_error() }
        let bytes = Unmanaged<BrokenBody>.fromOpaque(context).takeUnretainedValue().bytes
        let start = Int(position)
        guard start < bytes.count else { return shim_mhd_end_with_error() }
        let count = min(capacity, bytes.count - start)
        for index in 0..<count { target[index] = CChar(bitPattern: bytes[start + index]) }
        return count
    }

    static let free: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        Unmanaged<BrokenBody>.fromOpaque(context).release()
    }
}

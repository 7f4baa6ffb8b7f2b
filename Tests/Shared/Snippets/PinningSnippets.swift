import FoundationEssentials
import Latchkey
import LatchkeyLog
import LatchkeyCurl

/// The code of `Documentation/Start/Pinning.md`, compiled.
enum PinningSnippets {
    static func transport() throws -> CurlTransport {
        var context = PluginContext.system
        context.observer = LogObserver()

        let pins = try PinnedHosts([
            HostPins(
                "id.example.com",
                pins: [PublicKeyPin(base64: "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=")],
                backups: [PublicKeyPin(base64: "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g=")],
                expiry: Date(timeIntervalSince1970: 1_814_400_000),
                mode: .reportOnly)
        ])
        let transport: CurlTransport = .curl(pins: pins, context: context)
        return transport
    }
}

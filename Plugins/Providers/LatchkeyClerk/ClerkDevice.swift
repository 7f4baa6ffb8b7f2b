/// What the service is told about the device and the app, as its own clients for iOS do. The person sees it beside their
/// sessions, and the instance's protection rules may use it. All of it is optional; without any, only the address of the
/// device shows. Each text is printable ASCII, 200 characters at most.
public struct ClerkDevice: Hashable, Sendable {
    /// The kind of device, such as `iPhone` or `desktop`.
    public var kind: String?
    /// The model, such as `iPhone17,1`.
    public var model: String?
    /// The version of the system, such as `26.1`.
    public var systemVersion: String?
    /// The version of the app, such as `4.2.0`.
    public var appVersion: String?
    /// The identifier of the app, such as `com.example.notes`.
    public var appID: String?
    /// What stays the same for this installation of the app, such as the vendor's identifier on iOS; the service's trust
    /// in devices may use it. It makes the installation known again after a sign-out.
    public var installation: String?

    /// Describes a device.
    public init(
        kind: String? = nil, model: String? = nil, systemVersion: String? = nil, appVersion: String? = nil,
        appID: String? = nil, installation: String? = nil
    ) {
        (self.kind, self.model, self.systemVersion) = (kind, model, systemVersion)
        (self.appVersion, self.appID, self.installation) = (appVersion, appID, installation)
    }

    /// The header fields, as the service's client for iOS names them.
    var fields: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("x-device-type", kind), ("x-device-model", model), ("x-os-version", systemVersion),
            ("x-app-version", appVersion), ("x-bundle-id", appID), ("x-native-device-id", installation),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The name of the first field whose text cannot be sent; `nil` if all can be.
    var unsendable: String? {
        fields.first { field in
            !(1...200).contains(field.value.utf8.count) || !field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        }?.name
    }
}

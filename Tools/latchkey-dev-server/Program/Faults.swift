import LatchkeyCommand
import LatchkeyDevServer
import LatchkeyJSON

/// The people and the faults of the command line.
extension DevServerLine {
    /// The people in the file that is named: a JSON array of objects with `name`, `password` and perhaps `displayName`; `nil`
    /// if no file is. The Supabase project has the same people, at `name@example.test`.
    ///
    /// - Throws: A mistake in the command line that names the member at fault, and no value.
    func users() throws -> [DevServer.User]? {
        guard let bytes = try people() else { return nil }
        do throws(JSONError) {
            var users: [DevServer.User] = []
            for entry in try JSONField(try JSON.parse(bytes)).array() {
                users.append(
                    DevServer.User(
                        name: try entry["name"].string(), password: try entry["password"].string(),
                        displayName: try entry["displayName"].optional?.string()))
            }
            return users
        } catch {
            throw mistake("usage.users", ["problem": "\(error)"])
        }
    }

    /// Returns the fault that `text` describes: `KIND@ENDPOINT`, then `,count=N`, `,status=N`, `,seconds=N` and
    /// `,milliseconds=N` in any order.
    ///
    /// - Throws: A mistake in the command line that lists what may be there.
    func fault(_ text: String) throws -> DevServer.Fault {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard place.count == 2, let kind = DevServer.Fault.Kind(rawValue: place[0]),
            // A held answer waits for a program that runs the server itself.
            kind != .hold
        else {
            let kinds = DevServer.Fault.Kind.allCases.filter { $0 != .hold }.map(\.rawValue)
            throw refusal("usage.faultKind", kinds)
        }
        guard let endpoint = DevServer.Endpoint(rawValue: place[1]) else {
            throw refusal("usage.faultEndpoint", DevServer.Endpoint.allCases.map(\.rawValue))
        }
        var fault = DevServer.Fault(kind, at: endpoint)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, let number = Int(pair[1]) else { throw refusal("usage.faultNumber", numbers) }
            switch pair[0] {
            case "count": fault.count = number
            case "status": fault.status = number
            case "seconds": fault.seconds = number
            case "milliseconds": fault.milliseconds = number
            default: throw refusal("usage.faultNumber", numbers)
            }
        }
        return fault
    }

    private var numbers: [String] { ["count", "status", "seconds", "milliseconds"] }

    private func refusal(_ key: String, _ words: [String]) -> any Error {
        mistake(key, ["words": words.joined(separator: ", ")])
    }
}

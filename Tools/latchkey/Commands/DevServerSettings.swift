import Latchkey
import LatchkeyDevServer
import LatchkeyJSON

/// Reads the people and faults of a development server from the command line.
enum DevServerSettings {
    private static let largestFile = 1 << 20

    /// The names of `--clerk-setting`, for the help.
    static var clerkNames: String { DevServer.ClerkSetting.allCases.map(\.rawValue).joined(separator: ", ") }

    /// Returns the people in the file at `path`: a JSON array of objects with `name`, `password` and perhaps
    /// `displayName`. The Supabase project has the same people, at `name@example.test`.
    ///
    /// - Throws: ``UsageError`` that names the member at fault, and no value.
    static func users(in path: String, _ invocation: Invocation) throws -> [DevServer.User] {
        let absolute = path.hasPrefix("/") ? path : (WorkingDirectory.path ?? "") + "/" + path
        guard let bytes = (try? invocation.world.files.read(absolute, limit: largestFile)) ?? nil else {
            throw UsageError("usage.usersFile", command: .devServer)
        }
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
            throw UsageError("usage.users", ["problem": "\(error)"], hint: .run("latchkey help dev-server"))
        }
    }

    /// Returns the fault that `text` describes: `KIND@ENDPOINT`, then `,count=N`, `,status=N`, `,seconds=N` and
    /// `,milliseconds=N` in any order.
    ///
    /// - Throws: ``UsageError`` that lists what may be there.
    static func fault(_ text: String) throws -> DevServer.Fault {
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

    private static let numbers = ["count", "status", "seconds", "milliseconds"]

    private static func refusal(_ key: String, _ words: [String]) -> UsageError {
        UsageError(key, ["words": words.joined(separator: ", ")], command: .devServer)
    }
}

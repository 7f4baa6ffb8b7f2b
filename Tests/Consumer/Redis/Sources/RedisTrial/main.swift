import Foundation
import Latchkey
import LatchkeyTesting
import RedisServing
import RedisStore

// What a store behind a network is put through: `RedisTrial outages SECONDS` or `RedisTrial counting INCREMENTS`.

let arguments = CommandLine.arguments.dropFirst()
let number = arguments.last.flatMap { Int($0) } ?? 0
let folder = FileManager.default.temporaryDirectory.appending(
    path: "redis-trial-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let server = try await RedisServer(in: folder.path)
let isGood: Bool
do {
    switch arguments.first {
    case "outages": isGood = try await Outages(server, seconds: number).run()
    case "counting": isGood = try await Counting(server, increments: number).run()
    default:
        print("RedisTrial outages SECONDS | RedisTrial counting INCREMENTS")
        isGood = false
    }
} catch {
    await server.kill()
    throw error
}
await server.kill()
try FileManager.default.removeItem(at: folder)
exit(isGood ? 0 : 1)

import Foundation
import Latchkey
import LatchkeyDevServer
import Testing

/// `Scripts/verify matrix` runs it.
@Suite(
    "Every command, on every kind of profile, in every state", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["LATCHKEY_MATRIX"] != nil))
struct MatrixTests {
    private struct Figures {
        var (commands, states, unexpected, hints, worked) = (0, 0, 0, 0, 0)
    }

    @Test("a command ends as the state says, and the command in a hint mends what it was for") func matrix()
        async throws
    {
        var figures = Figures()
        for kind in MatrixProfile.Kind.allCases {
            for state in MatrixProfile.State.allCases where MatrixProfile.has(state, kind) {
                let profile = try await MatrixProfile(kind)
                try await profile.enter(state)
                figures.states += 1
                try await run(profile, state, &figures)
            }
        }
        print(
            "matrix: commands=\(figures.commands) kinds=\(MatrixProfile.Kind.allCases.count) states=\(figures.states)"
                + " unexpected=\(figures.unexpected) hints=\(figures.hints) worked=\(figures.worked)")
        #expect(figures.unexpected == 0 && figures.worked == figures.hints)
    }

    private func run(_ profile: MatrixProfile, _ state: MatrixProfile.State, _ figures: inout Figures) async throws {
        var signIns: Set<[String]> = []
        for command in MatrixCommand.all(profile) {
            let result = try await profile.run(command.words)
            figures.commands += 1
            if !command.mayEnd(with: result.status, in: state) {
                figures.unexpected += 1
                let place = "\(command.words.joined(separator: " ")), \(profile.kind), \(state)"
                print("unexpected: \(place): \(result.status) \(result.errors)")
                Issue.record("\(place) ended with \(result.status)")
            }
            // What signs in by itself: a browser and another device that agree at once, or a program with its secret.
            if profile.kind.isOAuth, state == .ended || state == .signedOut,
                let line = result.errors.firstMatch(of: /hint: Run: latchkey (login[^\n]*)/)
            {
                signIns.insert(line.1.split(separator: " ").map(String.init))
            }
        }
        // Each where it was printed: the last command may have removed the profile.
        for words in signIns.sorted(by: { $0.count < $1.count }) {
            figures.hints += 1
            let place = try await MatrixProfile(profile.kind)
            try await place.enter(state)
            let login = try await place.run(words)
            if login.status == 0, try await place.run(["status"]).status == 0 {
                figures.worked += 1
            } else {
                print("hint: \(words), \(profile.kind), \(state): \(login.status) \(login.errors)")
            }
        }
    }
}

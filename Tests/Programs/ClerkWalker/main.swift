import ClerkWalks
import Foundation

/// `Scripts/verify clerk` runs it: `clerk-walks [NAME]`.
@Sendable func complain(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

let report = try await ClerkWalks.every(only: CommandLine.arguments.dropFirst().first ?? "", tell: complain)
guard report.walks > 0 else {
    complain("there is no walk of that name")
    exit(2)
}
print(report.line)
exit(report.unexpected == 0 ? 0 : 1)

import Foundation
import SupabaseWalks

/// `Scripts/verify supabase` runs it: `supabase-walks [NAME]`.
@Sendable func complain(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

let report = try SupabaseWalks.every(only: CommandLine.arguments.dropFirst().first, tell: complain)
guard report.walks > 0 else {
    complain("there is no walk of that name")
    exit(2)
}
print(report.line)
exit(report.lost == 0 && report.untrue == 0 ? 0 : 1)

public import Latchkey
import LatchkeyJSON
public import LatchkeySupabase

/// Every user of a project, the newest first. Each loop over it reads anew, page by page, and holds one page.
///
/// ```swift
/// for try await user in admin.users() { … }
/// ```
///
/// Who signs up meanwhile may be missing, and moves nobody in twice: users of the page before are passed over. Who is
/// deleted meanwhile moves others past the reader, who misses them: collect the ids first, and then delete.
///
/// An error names its page and ends the loop. The end is where the service names no next page; where a gateway dropped
/// that field, where as many have come as it counts, or a page is not full.
public struct SupabaseUsers: AsyncSequence, Sendable {
    let admin: SupabaseAdmin
    let pageSize: Int

    /// A reader that has read nothing yet.
    public func makeAsyncIterator() -> Iterator { Iterator(admin: admin, pageSize: pageSize) }

    /// Reads the users of a project. Not to be shared between tasks.
    public struct Iterator: AsyncIteratorProtocol {
        private let admin: SupabaseAdmin
        private let pageSize: Int
        /// Of the page at hand, the last first.
        private var users: [SupabaseUser] = []
        /// Who was on the page at hand.
        private var shown: Set<String> = []
        private var count = 0
        /// `nil` at the end.
        private var page: Int? = 1

        init(admin: SupabaseAdmin, pageSize: Int) {
            self.admin = admin
            self.pageSize = pageSize
        }

        /// The next user; `nil` at the end, and after an error.
        public mutating func next() async throws(AuthError) -> SupabaseUser? {
            while users.isEmpty {
                guard let page else { return nil }
                self.page = nil
                let read = try await admin.page(page, of: pageSize, after: count)
                count += read.users.count
                users = read.users.filter { !shown.contains($0.id) }.reversed()
                shown = Set(read.users.map(\.id))
                self.page = read.next
            }
            return users.popLast()
        }
    }
}

extension SupabaseAdmin {
    /// One page of users, counted from 1, where `count` users came before.
    fileprivate func page(_ page: Int, of size: Int, after count: Int) async throws(AuthError) -> UserPage {
        do throws(AuthError) {
            return try await run {
                let request = ServiceRequest(
                    "GET", "/admin/users", query: [("page", String(page)), ("per_page", String(size))])
                let answer = try await service.send(request)
                return try service.read(answer) { json throws(JSONError) in
                    try UserPage(json, answer.fields, number: page, size: size, after: count)
                }
            }
        } catch {
            var error = error
            error.message = "Page \(page) of the users was not read: \(error.message)"
            throw error
        }
    }
}

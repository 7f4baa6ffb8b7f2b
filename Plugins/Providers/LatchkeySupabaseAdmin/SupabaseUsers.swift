public import Latchkey
import LatchkeyJSON
public import LatchkeySupabase

/// All users of a project, newest first. Each loop reads them from the service again, page by page,
/// and holds one page in memory.
///
/// ```swift
/// for try await user in admin.users() { … }
/// ```
///
/// A person who signs up during the loop may be missing, but nobody appears twice because of it:
/// users of the previous page are skipped. Deleting users during the loop makes it skip others:
/// collect the ids first, then delete.
///
/// An error names its page and ends the loop. The loop ends when the service names no next page. If
/// a gateway removed that field, it ends after the total that the service counts, or after a page that is not full.
public struct SupabaseUsers: AsyncSequence, Sendable {
    let admin: SupabaseAdmin
    let pageSize: Int

    /// Creates an iterator that starts with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(admin: admin, pageSize: pageSize) }

    /// Reads the users of a project. Do not share it between tasks.
    public struct Iterator: AsyncIteratorProtocol {
        private let admin: SupabaseAdmin
        private let pageSize: Int
        /// The rest of the current page, in reverse.
        private var users: [SupabaseUser] = []
        /// The ids on the current page.
        private var shown: Set<String> = []
        private var count = 0
        /// The next page; `nil` at the end.
        private var page: Int? = 1

        init(admin: SupabaseAdmin, pageSize: Int) {
            self.admin = admin
            self.pageSize = pageSize
        }

        /// Returns the next user, or `nil` at the end and after an error.
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
    /// Reads one page of users, counted from 1; `count` users came before.
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

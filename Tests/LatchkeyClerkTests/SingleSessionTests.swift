import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

/// An instance that takes one session on a client, as Clerk's default is.
@Suite("One session on a client", .serialized) struct SingleSessionTests {
    private struct Instance {
        let scene: Scene
        let auth: AuthClient

        init(_ rotation: DevServer.Clerk.Rotation = .signIns) throws {
            scene = try Scene { clerk in
                clerk.rotation = rotation
                for index in clerk.users.indices {
                    (clerk.users[index].totp, clerk.users[index].backupCodes) = (nil, [])
                }
            }
            auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
            scene.transport.answer { request in
                let isNew = ["/sign_ins?", "/sign_ups?"].contains { request.url.contains($0) }
                guard request.method == "POST", isNew, request.fields["Authorization"] != nil else { return nil }
                let body = #"{"errors":[{"code":"session_exists","message":"is signed in"}]}"#
                return TransportResponse(status: 400, body: Array(body.utf8))
            }
        }

        func signIn(_ who: String, _ password: String) async throws -> AuthSession {
            try await auth.signIn(with: "clerk", .password(identifier: who, Secret(password)))
        }
    }

    @Test("the same person gets the session that is there", arguments: DevServer.Clerk.Rotation.allCases)
    func same(_ rotation: DevServer.Clerk.Rotation) async throws {
        let instance = try Instance(rotation)
        let first = try await instance.signIn(Scene.ada, "ada-password")
        for who in [Scene.ada, "ADA+clerk_test@example.test"] {
            let again = try await instance.signIn(who, "ada-password")
            #expect(again.id == first.id)
        }
        #expect(instance.scene.server.clerkSessionCount == 1)
        try await instance.auth.refresh()
        _ = try await instance.auth.accessToken(for: .template("backend"))
    }

    @Test(
        "another person gets a client of their own, and everybody's tokens are their own",
        arguments: DevServer.Clerk.Rotation.allCases)
    func others(_ rotation: DevServer.Clerk.Rotation) async throws {
        let instance = try Instance(rotation)
        let ada = try await instance.signIn(Scene.ada, "ada-password")
        let grace = try await instance.signIn(Scene.grace, "grace-password")
        #expect(Set(try await instance.auth.accounts().map(\.id)) == [ada.account, grace.account])
        for (account, user) in [(ada.account, "user_ada"), (grace.account, "user_grace")] {
            try await instance.auth.refresh(of: account)
            let token = try await instance.auth.accessToken(of: account)
            #expect(try ClerkClaims(unverified: token.value).user == user)
        }
        // Who signs in once more is still one account.
        _ = try await instance.signIn(Scene.grace, "grace-password")
        #expect(try await instance.auth.accounts().count == 2)
        try await instance.auth.signOut(of: grace.account)
        try await instance.auth.refresh(of: ada.account)
        #expect(try await instance.auth.accounts().map(\.id) == [ada.account])
    }

    @Test("an address that the service has not verified is nobody's: its person gets no session of another's")
    func unverified() async throws {
        let instance = try Instance()
        let ada = try await instance.signIn(Scene.ada, "ada-password")
        _ = try await instance.auth.clerk().addEmail(Scene.grace + ".invalid")
        instance.scene.transport.answer { request in
            let isNew = request.url.contains("/sign_ins?") && request.fields["Authorization"] != nil
            guard request.method == "POST", isNew else { return nil }
            return TransportResponse(status: 400, body: Array(#"{"errors":[{"code":"session_exists"}]}"#.utf8))
        }
        let error = await #expect(throws: AuthError.self) {
            try await instance.signIn(Scene.grace + ".invalid", "ada-password")
        }
        #expect(error?.code == .refused(.wrongInput))
        #expect(try await instance.auth.accounts().map(\.id) == [ada.account])
    }

    @Test("a wrong password of another person changes nothing for the one who is there")
    func wrong() async throws {
        let instance = try Instance(.always)
        let ada = try await instance.signIn(Scene.ada, "ada-password")
        let error = await #expect(throws: AuthError.self) { try await instance.signIn(Scene.grace, "wrong") }
        #expect(error?.code == .refused(.wrongInput))
        try await instance.auth.refresh()
        #expect(try await instance.auth.accounts().map(\.id) == [ada.account])
        #expect(instance.scene.server.clerkSessionCount == 1)
    }
}

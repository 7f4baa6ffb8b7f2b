import Latchkey
import LatchkeyDevServer
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

@Suite("The Clerk provider keeps the provider's contract") struct ProviderContractTests {
    typealias Contract = ProviderContract<ClerkProvider>

    static func refusal(_ status: Int, _ code: String) -> TransportResponse {
        TransportResponse(status: status, body: Array(#"{"errors":[{"code":"\#(code)"}]}"#.utf8))
    }

    static let refusals: [Contract.RefusedRefresh] = [
        .init(refusal(401, "authentication_invalid"), is: .definite),
        .init(refusal(401, "signed_out"), is: .definite), .init(refusal(403, "user_banned"), is: .definite),
        .init(refusal(401, "deprovisioned"), is: .definite),
        .init(refusal(404, "resource_not_found"), is: .unexplained),
        .init(refusal(401, "something_new"), is: .unexplained), .init(refusal(403, "user_locked"), is: .unexplained),
        .init(TransportResponse(status: 401), is: nil),
        .init(TransportResponse(status: 403, body: Array("<html></html>".utf8)), is: nil),
        .init(TransportResponse(status: 400, body: Array(#"{"message":"Forbidden"}"#.utf8)), is: nil),
        .init(refusal(400, "native_api_disabled"), is: nil), .init(refusal(503, "maintenance_mode"), is: nil),
        .init(refusal(429, "too_many_requests"), is: nil), .init(refusal(500, "authentication_invalid"), is: nil),
        .init(refusal(415, "unsupported_content_type"), is: nil),
    ]

    static let code = Secret("424242")

    static var ways: [Contract.Conversation] {
        [
            .init(Scene.ofAda, person: "ada"),
            .init(.signIn(.code(identifier: Scene.ada, over: .mail)), person: "ada", answering: { _ in .code(code) }) {
                _ in .code(Secret("000000"))
            },
            .init(.signIn(.code(identifier: "+12015550100", over: .sms)), person: "ada") { _ in .code(code) },
            .init(
                Scene.ofGrace,
                answering: { challenge in
                    if case .choose = challenge.ask { return .choice("totp") }
                    return .code(Scene.appCode)
                },
                erring: { challenge in
                    if case .totp = challenge.ask { return .code(Secret("000000")) }
                    return nil
                }),
            .init(.recover(identifier: Scene.ada), person: "ada") { challenge in
                if case .newPassword = challenge.ask { return .password(Secret("another horse")) }
                return .code(code)
            },
            .init(
                .signUp(
                    SignUpForm(identifier: "new+clerk_test@example.test", password: Secret("long enough")))
            ) { _ in .code(code) },
        ]
    }

    @Test(
        "as the service is, and where each answer brings a new client token",
        arguments: DevServer.Clerk.Rotation.allCases)
    func contract(_ rotation: DevServer.Clerk.Rotation) async throws {
        try await ProviderContract(Self.ways, refusals: Self.refusals) {
            let scene = try Scene { $0.rotation = rotation }
            return .init(scene.provider, in: scene.context, beside: scene.provider)
        }.run()
    }
}

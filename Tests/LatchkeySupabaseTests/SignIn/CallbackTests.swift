import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("Where a browser or a link arrives")
struct CallbackTests {
    enum Said: Hashable, Sendable {
        case code(String)
        case session(String?, expires: JSON?)
        case half
        case failed(String, SupabaseErrorCode?)
    }

    private func said(_ address: String) throws -> Said {
        switch try Callback(Secret(address), provider: "s") {
        case .code(let code): return .code(code.revealText())
        case .session(let members, let type): return .session(type, expires: members["expires_in"])
        case .halfConfirmed: return .half
        case .failed(let error): return .failed(error.code.name, error.supabase)
        }
    }

    static let rows: [(String, Said)] = [
        ("app:?code=abc", .code("abc")), ("app://?code=abc", .code("abc")), ("app:///path?code=abc", .code("abc")),
        ("app://#access_token=a", .session(nil, expires: nil)), ("app:///p#message=x&sb=", .half),
        ("app://cb?code=abc", .code("abc")), ("app://cb?code=abc&screen=home", .code("abc")),
        ("app://cb?code=abc#sb=", .code("abc")),
        ("app://cb#access_token=a&expires_in=3600&type=recovery&sb=", .session("recovery", expires: 3600)),
        ("app://cb#own#access_token=a&expires_in=x", .session(nil, expires: "x")),
        ("app://cb#message=Confirmation+link+accepted&sb=", .half), ("app://cb?message=x#message=x&sb=", .half),
        (
            "app://cb?error=access_denied&error_code=otp_expired#error=x&error_code=otp_expired&sb=",
            .failed("refused.expired", .otpExpired)
        ),
        ("app://cb#error_code=flow_state_expired&sb=", .failed("refused.expired", .flowStateExpired)),
        (
            "app://cb?error=server_error&error_code=identity_already_exists&error_description=a%26b",
            .failed("refused.other", .identityAlreadyExists)
        ),
        ("app://cb?error=access_denied&error_code=signup_disabled", .failed("refused.denied", .signupDisabled)),
        ("app://cb?error=access_denied&error_description=no", .failed("refused.denied", nil)),
        ("app://cb?error=temporarily_unavailable", .failed("refused.other", nil)),
        (
            "app://cb?error=x&error_code=of_tomorrow",
            .failed("refused.other", SupabaseErrorCode(rawValue: "of_tomorrow"))
        ),
        // An error counts before anything else that came with it.
        ("app://cb?code=abc&error=access_denied", .failed("refused.denied", nil)),
        ("app://cb?code=abc#access_token=a", .code("abc")),
    ]

    @Test("what the service writes is read", arguments: rows)
    func read(address: String, expected: Said) throws {
        #expect(try said(address) == expected)
    }

    @Test(
        "what says nothing, twice or nonsense is not trusted",
        arguments: [
            "app://cb", "app://cb?screen=home", "app://cb#sb=", "app://cb?code=", "not an address", "",
            "app://cb?code=a&code=b", "app://cb#access_token=a&access_token=b", "app://cb?code=%zz", "app://cb#%zz=1",
            "app://cb#code=abc", "app://cb?access_token=a",
        ])
    func refused(_ address: String) throws {
        let error = try #require(throws: AuthError.self) { _ = try said(address) }
        guard case .untrusted = error.code else { throw Missing() }
        #expect(!error.message.contains(address) || address.isEmpty)
    }
}

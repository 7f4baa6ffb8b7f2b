import LatchkeyCrypto
@testable import LatchkeyJSON
@testable import LatchkeyOAuthCore

/// The keys for checking tokens, and all tokens in the world that they have signed.
///
/// The first two keys were made for these tokens, and their private halves were not kept. The third is printed in
/// RFC 8037, appendix A, so it is not secret.
enum KnownTokens {
    static let keySet = """
        {"keys":[{"kty":"RSA","kid":"r","n":"ywL3P1WgWRbIV6HPrVV1CO9jyQoqvyqf2RKXga-\
        4zWwIP0wlnOOKwqgKN6bzOQYlLt5cZUdsTQHZz6HEDeWl0e5pNHDP6rVT-\
        4pOin8QglqMRc7gBfR3tSYMJFkl7dautoRpXLovfiY0UNJviUhE4fnXqddxmqpRjNqSdC6B5D49COWcal7hEh1wruG7mdol5-\
        H5CnIpB7qxEkN9x1fMlgON1JnK8nYQHvc4zTQCLtPgSaSEOw4tObHn2bGmPAvp8tyF8lLAXdbXcUcYTEYXUsLPk5p_Rh2yH9EKQd\
        Tg3tI4tXmmhQ1JcQF8vpVLb6Cf783ELJlIj57R1Jp7Aqpf8Q","e":"AQAB"},{"kty":"EC","kid":"e","crv":"P-\
        256","x":"iEJZoZzDV93icbsVzyBXKqUlglWqYp0WA8qF7XCgZHE","y":"o7hRU8QIqAKPBplBXQWP8S7DAgKTv9iCvmIa-\
        KQ7Ovo"},{"kty":"OKP","kid":"d","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
        """

    /// Tokens signed by the first key, by the first key without naming it, by the second and by the third.
    static let all = [
        """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InIifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJzdWIiOiJ1MSIsImF1ZCI6ImFwc\
        CIsImV4cCI6NDEwMjQ0NDgwMCwiaWF0IjoxNzk1MTc2MDAwLCJub25jZSI6Im4xIiwiZW1haWwiOiJ6cTchY2FuYXJ5In0.Vdo8b\
        bb9oe1L01_8cx3BoiwTnHMPmneMeHbZqJk8mx0gb_JKPnA8kuKKKDr2QXfYBGTDoXebntXw3-\
        hiyL68Zz75c_Gujh70PtY9mNIwtEWUyelPZZs53BPzfHGPNovy88N7ldrZNPLxwL-eEzVFvh729oNT3wVs1f_PNzaPCg7mRgPU6F\
        Y9J7Sn0pfsJQWaSmBI8EHwqD-\
        D00OCWP1iP8SFk9ARdPL0fkslNoGepdaBI2cpPtbJmorJPcfVHLlFV2jPwK4uXzsLZrZGGJl0S7FnDhkgNJ-\
        q5b2x1kBteUlqw_zqmy9WVWSkfcm52gzFHqrviVTpwcANfhx8y9F9DA
        """,
        """
        eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJzdWIiOiJ1MSIsImF1ZCI6ImFwcCIsImV4cCI6NDE\
        wMjQ0NDgwMCwiaWF0IjoxNzk1MTc2MDAwLCJub25jZSI6Im4xIiwiZW1haWwiOiJ6cTchY2FuYXJ5In0.oD5Y5HZg4JRRAJtr_en\
        toAHPFqN_V2_pbvebH2_J9OSuYzl7F50m7wnIYHFWL6yVRbdjHwJUqtMS1OY8mj1kc8c7_2TuOt6o9jAhQhlqlUIDgOF4Unc3XfR\
        ArFu9DNA4wCh3LWhvq09uc4mUItRLkpUJ9d3mCIRSw0jhZe-O0_HOoAcdV5xG-\
        ZnmKHFirf7-6x-ycbQ7hpJzE8L-PQ2rgwb2KBBS_QqBFn3imT9b8FeX4JiVIeesB-\
        JGzapzxcBmIzgeoNi05A_soYh4xBGeusJmsjaVkr5tHs6nlWQO7ZLD-wGhu_QvxSjb4KcVyFIvbs-4KZ6Wtuh2vUag3OtRLA
        """,
        """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImUifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJzdWIiOiJ1MSIsImF1ZCI6ImFwc\
        CIsImV4cCI6NDEwMjQ0NDgwMCwiaWF0IjoxNzk1MTc2MDAwLCJub25jZSI6Im4xIiwiZW1haWwiOiJ6cTchY2FuYXJ5In0.c9SKA\
        qsw-2Z7SBdzuwJSM-J_SIq8_gGnaeStKrS4cul817hG715somtubCA4qMaEMIM4VVnUeyYvVOFiT-3V-w
        """,
        """
        eyJhbGciOiJFZERTQSIsImtpZCI6ImQifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJzdWIiOiJ1MSIsImF1ZCI6ImFwc\
        CIsImV4cCI6NDEwMjQ0NDgwMCwiaWF0IjoxNzk1MTc2MDAwLCJub25jZSI6Im4xIiwiZW1haWwiOiJ6cTchY2FuYXJ5In0.I1RH5\
        0DxzkRFAneGzWqBD111TEuZHNk8NJ11_oLTEGxVrqN6YdLC2up-AWJ2aZ7aKfAGnXlyws2KAGhOk_skCA
        """,
    ]

    static let keys = set { _ in true }
    static let firstKey = set { $0 == "r" }

    /// Signs what a fuzzer made up, with the third key of the set.
    static let signer = try? PrivateKey(
        pem: """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            """)

    private static func set(_ isIn: (String?) -> Bool) -> JSONWebKeySet {
        let document = (try? JSON.parse(Array(keySet.utf8)))?["keys"]?.array ?? []
        let keys = document.filter { isIn($0["kid"]?.string) }
        return (try? JSONWebKeySet(parsing: .object(["keys": .array(keys)]))) ?? JSONWebKeySet()
    }
}

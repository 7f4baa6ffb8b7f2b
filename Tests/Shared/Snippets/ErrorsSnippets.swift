import Latchkey

/// The code of `Documentation/Start/Errors.md`, compiled in a function. `Tests/Consumer` has the same `catch` at top level.
enum ErrorsSnippets {
    static func token(_ auth: AuthClient) async {
        do {
            let token = try await auth.accessToken()
            print("good for a request:", token)
        } catch {
            switch error.recovery {
            case .signIn: print("Sign in again.", error.message)
            case .retryLater: print("Try again later.", error.message)
            default: print(error.message)
            }
        }
    }

    static func closure() -> (AuthClient) async -> Void {
        let renew = { (auth: AuthClient) async -> Void in
            do throws(AuthError) {
                _ = try await auth.refresh()
            } catch {
                print(error.recovery, error.message)
            }
        }
        return renew
    }
}

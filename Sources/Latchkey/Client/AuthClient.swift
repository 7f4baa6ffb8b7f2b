/// Signs people in, keeps their sessions, and hands out access tokens. One per app; share it freely.
///
/// Made by ``Builder``. Nothing is read or sent before the first call.
public final class AuthClient: Sendable {
    init() {}
}

/// An observer that is also told of every event, so that it learns which account something happened to.
///
/// A client calls it on the task where something happens, before the listeners of its events, and leaves out no
/// event. As for ``AuthObserver/observe(_:)``, it must return quickly and must not call the client.
///
/// An event names an account, which is personal. Observers that send what they see to others need no events.
public protocol AuthEventObserving: AuthObserver {
    /// Receives one event.
    func observe(_ event: AuthEvent)
}

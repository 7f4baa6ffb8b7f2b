/// A store that is no place for what services' documents say (``ServiceDocuments``): it ends with the process, or it is
/// one of very many that a program has.
public protocol DocumentlessStore: SessionStore {}

/// Bytes nobody can guess, from the operating system's generator.
public enum SecureRandom {
    /// `count` fresh bytes. Stops the program when the system has no randomness, for there is no safe way on.
    public static func bytes(_ count: Int) -> [UInt8] {
        Backend.randomBytes(count)
    }
}

/// Unpredictable bytes from the operating system's generator.
public enum SecureRandom {
    /// Returns `count` new bytes. Stops the program if the system has no randomness, because it
    /// could not continue safely.
    public static func bytes(_ count: Int) -> [UInt8] {
        Backend.randomBytes(count)
    }
}

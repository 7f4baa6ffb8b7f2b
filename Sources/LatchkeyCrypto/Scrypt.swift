/// Key derivation from a passphrase, slow and memory-hungry on purpose, RFC 7914.
public enum Scrypt {
    /// Stretches `passphrase` into `length` bytes.
    ///
    /// Measured on one slow core with a block size of 8 and a parallelization of 1: N 2^15 takes 86
    /// ms and 32 MiB, 2^17 takes 413 ms and 128 MiB.
    ///
    /// - Parameters:
    ///   - passphrase: The bytes to stretch.
    ///   - salt: A salt, random for each passphrase.
    ///   - cost: The cost N, a power of two from 2 to 2^24.
    ///   - blockSize: The block size r, 1 to 64.
    ///   - parallelization: The parallelization p, 1 to 64.
    ///   - length: The number of bytes to return, 1 to 1024.
    ///   - memoryLimit: The most memory in bytes. Parameters from a foreign file cannot take more than
    ///     this.
    /// - Throws: ``CryptoError`` with code `memoryLimit` before anything is allocated,
    ///   `invalidParameter`, `invalidLength` for another `length`, or `unavailable` if there is not enough memory.
    public static func derive(
        passphrase: [UInt8], salt: [UInt8], cost: Int, blockSize: Int, parallelization: Int, length: Int,
        memoryLimit: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (2...(1 << 24)).contains(cost), cost & (cost - 1) == 0 else {
            throw CryptoError(.invalidParameter, "the cost of scrypt is no power of two from 2 to 2^24")
        }
        guard (1...64).contains(blockSize), (1...64).contains(parallelization) else {
            throw CryptoError(.invalidParameter, "block size and parallelization of scrypt go from 1 to 64")
        }
        guard (1...1024).contains(length) else {
            throw CryptoError(.invalidLength, "the length of a derived key goes from 1 to 1024 bytes")
        }
        let needed = memory(cost: cost, blockSize: blockSize, parallelization: parallelization)
        guard needed <= memoryLimit else {
            throw CryptoError(.memoryLimit, "scrypt would take \(needed) bytes and may take \(memoryLimit)")
        }
        return try Backend.scrypt(
            passphrase: passphrase, salt: salt, cost: cost, blockSize: blockSize, parallelization: parallelization,
            length: length, memoryLimit: memoryLimit)
    }

    /// Returns the memory that a derivation takes, in bytes: the table of N blocks, p further
    /// blocks, and two for mixing.
    public static func memory(cost: Int, blockSize: Int, parallelization: Int) -> Int {
        let (blocks, tooMany) = cost.addingReportingOverflow(parallelization + 2)
        let (bytes, tooLarge) = blocks.multipliedReportingOverflow(by: 128 * blockSize)
        return tooMany || tooLarge ? .max : bytes
    }
}

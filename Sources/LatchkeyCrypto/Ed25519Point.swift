/// The points of Ed25519 with which a signature proves nothing.
enum Ed25519Point {
    /// Whether `bytes` encode a point whose order divides 8, in any of its encodings.
    static func hasSmallOrder(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 32 else { return false }
        var y = bytes
        // The sign of x distinguishes only points that are both of small order or both not.
        y[31] &= 0x7f
        return smallOrder.contains(y)
    }

    /// The y coordinates of the points of order 1, 2, 4 and 8, and the values above the prime that
    /// stand for 0 and 1.
    private static let smallOrder: Set<[UInt8]> = {
        let ones = [UInt8](repeating: 0xff, count: 30)
        let zeros = [UInt8](repeating: 0, count: 31)
        return [
            [0] + zeros, [1] + zeros,
            [0xec] + ones + [0x7f], [0xed] + ones + [0x7f], [0xee] + ones + [0x7f],
            orderEight, negatedOrderEight,
        ]
    }()

    private static let orderEight: [UInt8] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
        0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ]

    private static let negatedOrderEight: [UInt8] = [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
        0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ]
}

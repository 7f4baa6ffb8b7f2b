/// Numbers of 256 bits modulo one of the two primes of secp256k1. Simple and slow, only for checks in development.
struct Residue: Equatable {
    /// A prime just below 2^256, and its difference to that.
    struct Modulus: Sendable {
        let value: [UInt64]
        let rest: [UInt64]
    }

    /// The prime of coordinates (SEC 2, section 2.4.1).
    static let coordinates = Modulus(
        value: [0xFFFF_FFFE_FFFF_FC2F, .max, .max, .max], rest: [0x1_0000_03D1, 0, 0, 0])
    /// The order of the base point.
    static let scalars = Modulus(
        value: [0xBFD2_5E8C_D036_4141, 0xBAAE_DCE6_AF48_A03B, 0xFFFF_FFFF_FFFF_FFFE, .max],
        rest: [0x402D_A173_2FC9_BEBF, 0x4551_2319_50B7_5FC4, 1, 0])

    /// Four words, the lowest first, below the modulus.
    let words: [UInt64]
    let modulus: Modulus

    static func == (left: Residue, right: Residue) -> Bool { left.words == right.words }

    private init(_ words: [UInt64], _ modulus: Modulus) {
        self.words = words
        self.modulus = modulus
    }

    /// Reads a number from 32 bytes, the highest first, and reduces it.
    init(_ bytes: [UInt8], _ modulus: Modulus) {
        let words = (0..<4).map { word in
            bytes[(24 - 8 * word)..<(32 - 8 * word)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        self.init(Self.reduced(words + [0, 0, 0, 0], modulus), modulus)
    }

    init(_ number: UInt64, _ modulus: Modulus) { self.init([number, 0, 0, 0], modulus) }

    var bytes: [UInt8] {
        words.reversed().flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
    }
    var isZero: Bool { words == [0, 0, 0, 0] }
    var isOdd: Bool { words[0] & 1 == 1 }

    static func + (left: Residue, right: Residue) -> Residue {
        let (sum, carry) = added(left.words, right.words)
        return Residue(
            carry || !isBelow(sum, left.modulus.value) ? subtracted(sum, left.modulus.value) : sum, left.modulus)
    }

    static func - (left: Residue, right: Residue) -> Residue {
        let difference = subtracted(left.words, right.words)
        return Residue(
            isBelow(left.words, right.words) ? added(difference, left.modulus.value).0 : difference, left.modulus)
    }

    static func * (left: Residue, right: Residue) -> Residue {
        Residue(reduced(product(left.words, right.words), left.modulus), left.modulus)
    }

    func power(_ exponent: [UInt64]) -> Residue {
        var result = Residue(1, modulus)
        for bit in (0..<256).reversed() {
            result = result * result
            if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = result * self }
        }
        return result
    }

    /// The inverse, by Fermat's little theorem.
    var inverse: Residue { power(Self.subtracted(modulus.value, [2, 0, 0, 0])) }

    /// A square root of a coordinate, if there is one: the prime is three more than a multiple of four.
    var root: Residue? {
        let candidate = power([0xFFFF_FFFF_BFFF_FF0C, .max, .max, 0x3FFF_FFFF_FFFF_FFFF])
        return candidate * candidate == self ? candidate : nil
    }

    private static func reduced(_ wide: [UInt64], _ modulus: Modulus) -> [UInt64] {
        var wide = wide
        // 2^256 equals the modulus's difference to it.
        while wide[4...].contains(where: { $0 != 0 }) {
            let folded = product(Array(wide[4...]), modulus.rest)
            wide = sum(folded, Array(wide[..<4]))
        }
        var low = Array(wide[..<4])
        while !isBelow(low, modulus.value) { low = subtracted(low, modulus.value) }
        return low
    }

    private static func product(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
        var result = [UInt64](repeating: 0, count: 8)
        for i in 0..<4 {
            var carry: UInt64 = 0
            for j in 0..<4 {
                let (high, low) = left[i].multipliedFullWidth(by: right[j])
                let (first, over) = result[i + j].addingReportingOverflow(low)
                let (second, more) = first.addingReportingOverflow(carry)
                result[i + j] = second
                carry = high &+ (over ? 1 : 0) &+ (more ? 1 : 0)
            }
            result[i + 4] = carry
        }
        return result
    }

    /// Adds four words to eight; the result fits.
    private static func sum(_ wide: [UInt64], _ low: [UInt64]) -> [UInt64] {
        var (result, carry) = (wide, false)
        for index in 0..<8 {
            let (first, over) = result[index].addingReportingOverflow(index < 4 ? low[index] : 0)
            let (second, more) = first.addingReportingOverflow(carry ? 1 : 0)
            (result[index], carry) = (second, over || more)
        }
        return result
    }

    private static func added(_ left: [UInt64], _ right: [UInt64]) -> ([UInt64], Bool) {
        var (result, carry) = (left, false)
        for index in 0..<4 {
            let (first, over) = left[index].addingReportingOverflow(right[index])
            let (second, more) = first.addingReportingOverflow(carry ? 1 : 0)
            (result[index], carry) = (second, over || more)
        }
        return (result, carry)
    }

    private static func subtracted(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
        var (result, borrow) = (left, false)
        for index in 0..<4 {
            let (first, under) = left[index].subtractingReportingOverflow(right[index])
            let (second, more) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            (result[index], borrow) = (second, under || more)
        }
        return result
    }

    private static func isBelow(_ left: [UInt64], _ right: [UInt64]) -> Bool {
        for index in (0..<4).reversed() where left[index] != right[index] { return left[index] < right[index] }
        return false
    }
}

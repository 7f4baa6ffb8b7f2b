/// Recovers the signer of a message from an Ethereum wallet (EIP-191, personal messages).
enum EthereumSignature {
    /// Returns the signer's address in lower case; `nil` if the 65 bytes are not a valid signature.
    static func signer(of message: [UInt8], signature: [UInt8]) -> String? {
        guard signature.count == 65 else { return nil }
        let recovery = signature[64] >= 27 ? signature[64] - 27 : signature[64]
        let (r, s) = (Array(signature[..<32]), Array(signature[32..<64]))
        let (first, second) = (Residue(r, Residue.scalars), Residue(s, Residue.scalars))
        let x = Residue(r, Residue.coordinates)
        guard recovery < 2, first.bytes == r, second.bytes == s, !first.isZero, !second.isZero, x.bytes == r,
            var y = (x * x * x + Residue(7, Residue.coordinates)).root
        else { return nil }
        if y.isOdd != (recovery == 1) { y = Residue(0, Residue.coordinates) - y }
        let hash = Residue(
            Keccak.digest(Array("\u{19}Ethereum Signed Message:\n\(message.count)".utf8) + message), Residue.scalars)
        let inverse = first.inverse
        let base = Point.base.times(Residue(0, Residue.scalars) - hash * inverse)
        let sum = Point.sum(base, Point(x: x, y: y).times(second * inverse))
        guard let (keyX, keyY) = sum?.affine else { return nil }
        return "0x" + Hex.encode(Array(Keccak.digest(keyX.bytes + keyY.bytes).suffix(20)))
    }

    /// A point of secp256k1 in Jacobian coordinates.
    private struct Point {
        var x: Residue
        var y: Residue
        var z = Residue(1, Residue.coordinates)

        static var base: Point {
            Point(
                x: number("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
                y: number("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"))
        }

        private static func number(_ digits: String) -> Residue {
            Residue(Hex.decode(digits) ?? [UInt8](repeating: 0, count: 32), Residue.coordinates)
        }

        var affine: (Residue, Residue)? {
            let inverse = z.inverse
            let square = inverse * inverse
            return (x * square, y * square * inverse)
        }

        var doubled: Point {
            let (a, b) = (x * x, y * y)
            let c = b * b
            let half = (x + b) * (x + b) - a - c
            let (d, e) = (half + half, a + a + a)
            let newX = e * e - d - d
            let eight = { (number: Residue) in
                let two = number + number
                return two + two + two + two
            }
            return Point(x: newX, y: e * (d - newX) - eight(c), z: (y + y) * z)
        }

        /// `nil` is the point at infinity.
        static func sum(_ left: Point?, _ right: Point?) -> Point? {
            guard let left, let right else { return left ?? right }
            let (leftSquare, rightSquare) = (left.z * left.z, right.z * right.z)
            let (u, v) = (left.x * rightSquare, right.x * leftSquare)
            let (s, t) = (left.y * right.z * rightSquare, right.y * left.z * leftSquare)
            guard u != v else { return s == t ? left.doubled : nil }
            let (h, r) = (v - u, t - s)
            let square = h * h
            let (cube, w) = (h * square, u * square)
            let x = r * r - cube - w - w
            return Point(x: x, y: r * (w - x) - s * cube, z: left.z * right.z * h)
        }

        func times(_ scalar: Residue) -> Point? {
            var result: Point?
            for bit in (0..<256).reversed() {
                result = result?.doubled
                if scalar.words[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = Self.sum(result, self) }
            }
            return result
        }
    }
}

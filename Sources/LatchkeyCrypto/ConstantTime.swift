/// Whether two secrets are equal; the time tells their lengths and nothing else.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && Backend.areEqual(left, right)
}

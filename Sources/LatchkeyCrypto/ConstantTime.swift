/// Returns whether two secrets are equal. The time that it takes reveals their lengths and nothing else.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && Backend.areEqual(left, right)
}

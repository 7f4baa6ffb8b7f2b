import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyModel
@Test func x() {}

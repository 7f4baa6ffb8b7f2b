// LatchkeyTesting.

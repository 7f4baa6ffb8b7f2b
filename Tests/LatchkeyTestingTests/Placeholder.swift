// Tests of LatchkeyTesting.

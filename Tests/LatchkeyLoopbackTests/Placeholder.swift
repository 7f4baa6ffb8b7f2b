// Tests of LatchkeyLoopback.

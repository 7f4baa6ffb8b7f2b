// LatchkeyLoopback.

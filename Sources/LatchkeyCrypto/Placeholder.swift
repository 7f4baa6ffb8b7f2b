// LatchkeyCrypto.

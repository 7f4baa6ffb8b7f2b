// Tests of LatchkeyCrypto.

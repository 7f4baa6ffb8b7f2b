// Tests of LatchkeyCurl.

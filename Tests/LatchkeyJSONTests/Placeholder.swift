// Tests of LatchkeyJSON.

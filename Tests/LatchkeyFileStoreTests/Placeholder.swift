// Tests of LatchkeyFileStore.

// LatchkeyFileStore.

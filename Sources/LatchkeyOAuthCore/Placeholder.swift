// LatchkeyOAuthCore.

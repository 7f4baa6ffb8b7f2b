// Tests of LatchkeyOAuthCore.

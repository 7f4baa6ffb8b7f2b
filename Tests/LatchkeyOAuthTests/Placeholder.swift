// Tests of LatchkeyOAuth.

// LatchkeyOAuth.

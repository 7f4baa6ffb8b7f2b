// LatchkeyCurl.

// Latchkey.

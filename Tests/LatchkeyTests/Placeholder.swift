// Tests of Latchkey.

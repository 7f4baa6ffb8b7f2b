import Latchkey
import LatchkeyOAuth

print("consumer")

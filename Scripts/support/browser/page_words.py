"""What a person reads, presses and fills in on the pages of the development server and of a sign-in's end."""

# By language.
WORDS = {
    "en": {
        "approve": "Approve", "deny": "Deny", "password": "Password", "code": "Code shown by the device", "continue": "Continue",
        "again": "Look again now", "in": "You are signed in", "out": "You are not signed in", "on": "Go on in latchkey",
        "finishing": "Finishing the sign-in…", "yours": "Is this your device?", "pause": "Stop refreshing",
    },
    "fr": {
        "approve": "Autoriser", "deny": "Refuser", "password": "Mot de passe", "code": "Code affiché par l’appareil",
        "continue": "Continuer", "again": "Regarder à nouveau", "in": "Vous êtes connecté", "out": "Vous n’êtes pas connecté",
        "on": "Continuez dans latchkey", "finishing": "La connexion se termine…", "yours": "Est-ce votre appareil ?",
        "pause": "Arrêter l’actualisation",
    },
}

import Latchkey

/// What the screens of challenges say.
extension ModelTexts {
    static let challenges: [String: [TextLanguage: String]] = [
        "challenge.code.title": [.english: "Enter the code", .french: "Saisissez le code"],
        "challenge.code": [.english: "Enter the code that was sent{to}", .french: "Saisissez le code envoyé{to}"],
        "challenge.mail.title": [.english: "Look at your mail", .french: "Consultez votre courrier"],
        "challenge.mail": [.english: "Open the link that was sent{to}", .french: "Ouvrez le lien envoyé{to}"],
        "challenge.totp.title": [.english: "Enter the code", .french: "Saisissez le code"],
        "challenge.totp": [
            .english: "Enter the code that your authenticator app shows",
            .french: "Saisissez le code de votre application d’authentification",
        ],
        "challenge.backupCode.title": [.english: "Enter a backup code", .french: "Saisissez un code de secours"],
        "challenge.backupCode": [
            .english: "Enter one of the backup codes that you kept",
            .french: "Saisissez l’un des codes de secours que vous avez gardés",
        ],
        "challenge.enrolment.title": [
            .english: "Set up an authenticator app", .french: "Configurez une application d’authentification",
        ],
        "challenge.enrolment": [
            .english: "Scan the QR code or type the key into the app, then enter the code that it shows",
            .french: "Scannez le code QR ou saisissez la clé dans l’application, puis saisissez le code affiché",
        ],
        "challenge.password.title": [.english: "Enter your password", .french: "Saisissez votre mot de passe"],
        "challenge.password": [
            .english: "Enter the password of your account", .french: "Saisissez le mot de passe de votre compte",
        ],
        "challenge.newPassword.title": [
            .english: "Choose a new password", .french: "Choisissez un nouveau mot de passe",
        ],
        "challenge.newPassword": [
            .english: "Choose a password that you use nowhere else",
            .french: "Choisissez un mot de passe que vous n’utilisez nulle part ailleurs",
        ],
        "challenge.choose.title": [.english: "Choose", .french: "Choisissez"],
        "challenge.choose": [.english: "Choose how to go on", .french: "Choisissez comment continuer"],
        "challenge.fields.title": [.english: "A few more details", .french: "Quelques précisions"],
        "challenge.fields": [
            .english: "Fill in what the service asks", .french: "Remplissez ce que le service demande",
        ],
        "challenge.visit.title": [.english: "Go on in the browser", .french: "Continuez dans le navigateur"],
        "challenge.visit": [
            .english: "Sign in on the page that opens, then come back",
            .french: "Connectez-vous sur la page qui s’ouvre, puis revenez",
        ],
        "challenge.device.title": [.english: "Use another device", .french: "Utilisez un autre appareil"],
        "challenge.device": [
            .english: "Open the address on another device and enter the code there",
            .french: "Ouvrez l’adresse sur un autre appareil et saisissez-y le code",
        ],
        "challenge.captcha.title": [
            .english: "Show that you are not a robot", .french: "Montrez que vous n’êtes pas un robot",
        ],
        "challenge.captcha": [.english: "Solve the puzzle of the service", .french: "Résolvez l’énigme du service"],
        "challenge.passkey.title": [.english: "Use your passkey", .french: "Utilisez votre clé d’accès"],
        "challenge.passkey": [
            .english: "Confirm with your device or security key",
            .french: "Confirmez avec votre appareil ou votre clé de sécurité",
        ],
        "challenge.wallet.title": [.english: "Use your wallet", .french: "Utilisez votre portefeuille"],
        "challenge.wallet": [
            .english: "Sign the message in your wallet", .french: "Signez le message dans votre portefeuille",
        ],
        "challenge.unknown.title": [
            .english: "This version cannot go on", .french: "Cette version ne peut pas continuer",
        ],
        "challenge.unknown": [
            .english: "Update the app, or cancel and sign in another way",
            .french: "Mettez l’application à jour, ou annulez et connectez-vous autrement",
        ],
        "challenge.to": [.english: " to {address}", .french: " à {address}"],
    ]
}

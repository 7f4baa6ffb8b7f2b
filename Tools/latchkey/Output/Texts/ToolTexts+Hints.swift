import Latchkey

extension ToolTexts {
    /// What a person can do next.
    static let hints: [String: [TextLanguage: String]] = [
        "hint": [.english: "hint: {hint}", .french: "conseil : {hint}"],
        "hint.run": [.english: "Run: {command}", .french: "Lancez : {command}"],
        "hint.first": [.english: "Run: {oauth}, or: {supabase}", .french: "Lancez : {oauth}, ou : {supabase}"],
        "hint.grace": [
            .english: "Connect to the network once to go on",
            .french: "Connectez-vous une fois au réseau pour continuer",
        ],
        "hint.later": [.english: "Try again later", .french: "Réessayez plus tard"],
        "hint.laterBy": [.english: "Try again in {time}", .french: "Réessayez dans {time}"],
        "hint.tokensShort": [
            .english: "Ask for less, or set a longer lifetime at the service",
            .french: "Demandez moins, ou donnez une durée plus longue au service",
        ],
        "hint.otherUnlock": [
            .english: "Unlock in another way, or sign in again",
            .french: "Déverrouillez autrement, ou reconnectez-vous",
        ],
        "hint.unchanged": [
            .english: "Nothing was changed; run the command again to try once more",
            .french: "Rien n’a changé ; relancez la commande pour réessayer",
        ],
        "hint.scope": [
            .english: "Ask for other scopes or another audience",
            .french: "Demandez d’autres droits ou un autre destinataire",
        ],
        "hint.tokenFile": [
            .english: "\"{command}\" gives the program the token in a file",
            .french: "« {command} » donne le jeton au programme dans un fichier",
        ],
        "hint.issuer": [
            .english: "Give the issuer: --issuer {issuer}", .french: "Donnez l’émetteur : --issuer {issuer}",
        ],
        "hint.otherPerson": [
            .english: "Choose the account in the browser, which \"{command}\" makes the service ask for",
            .french: "Choisissez le compte dans le navigateur, ce que « {command} » fait demander au service",
        ],
        "hint.correct": [
            .english: "Correct what was entered and run the command again",
            .french: "Corrigez la saisie et relancez la commande",
        ],
        "hint.insecure": [
            .english: "Close it to others, by the command it names if there is one, then check who used it",
            .french:
                "Fermez-le aux autres, par la commande indiquée s’il y en a une, puis vérifiez qui l’a utilisé",
        ],
        "hint.roleExpired": [
            .english: "Look whether this machine's clock is right; then run: {command}",
            .french: "Vérifiez l’heure de cette machine, puis lancez : {command}",
        ],
        "hint.roleTrust": [
            .english: "IAM must have the issuer as an OpenID Connect provider with this client's id as audience, and"
                + " the role's trust policy must name it",
            .french: "IAM doit connaître le service comme fournisseur OpenID Connect, avec l’identifiant de ce client"
                + " pour destinataire, et la politique d’approbation du rôle doit le nommer",
        ],
        "hint.roleOptions": [
            .english: "Correct the options, or what AWS has for the role",
            .french: "Corrigez les options, ou ce qu’AWS a pour ce rôle",
        ],
        "hint.damaged": [
            .english: "It is kept as it is; set it aside by: {repair}. {again}",
            .french: "Il est gardé tel quel ; mettez-le de côté par : {repair}. {again}",
        ],
        "hint.tampered": [
            .english: "Look who can write there before you trust it again. {again}",
            .french: "Vérifiez qui peut y écrire avant de vous y fier. {again}",
        ],
        "hint.rolledBack": [
            .english: "If you restored it on purpose, accept it: {command}",
            .french: "Si vous l’avez restauré exprès, acceptez-le : {command}",
        ],
        "hint.space": [.english: "Free some space and run it again", .french: "Libérez de la place et relancez"],
        "hint.writable": [
            .english: "Name directories that you can write by XDG_DATA_HOME and XDG_CONFIG_HOME",
            .french: "Nommez des dossiers où vous pouvez écrire par XDG_DATA_HOME et XDG_CONFIG_HOME",
        ],
        "hint.profileUnreadable": [
            .english: "Correct the file, or remove the profile with all that is here of it: {command}",
            .french: "Corrigez le fichier, ou supprimez le profil avec tout ce qu’il a ici : {command}",
        ],
        "hint.removeByForce": [
            .english: "Sign out first by: latchkey logout --profile {profile}, or add --force",
            .french: "Déconnectez-vous par : latchkey logout --profile {profile}, ou ajoutez --force",
        ],
        "hint.tokenPiped": [
            .english: "Take it from a file or another program: {command} < FILE",
            .french: "Prenez-le d’un fichier ou d’un autre programme : {command} < FICHIER",
        ],
        "hint.install": [
            .english: "On Debian and its like: apt-get install {package}",
            .french: "Sur Debian et ses proches : apt-get install {package}",
        ],
        "hint.notDurable": [
            .english: "Run the command again as soon as the place can be written",
            .french: "Relancez la commande dès que l’emplacement accepte l’écriture",
        ],
        "hint.newer": [
            .english: "Use the newer version of latchkey that wrote it",
            .french: "Utilisez la version plus récente de latchkey qui l’a écrit",
        ],
        "hint.factor": [
            .english: "Prove a further factor first: {command}",
            .french: "Prouvez d’abord un facteur de plus : {command}",
        ],
        "hint.otherDevice": [
            .english: "Open it where it was asked for, or type the code of the same mail there",
            .french: "Ouvrez-le là où il a été demandé, ou saisissez-y le code du même message",
        ],
        "hint.notAsked": [
            .english: "Check who sent the link; this program signed nobody in",
            .french: "Vérifiez qui a envoyé le lien ; ce programme n’a connecté personne",
        ],
        "hint.noCode": [
            .english:
                "Check the code; if none arrives, there may be no account with this address, and this makes one: {command}",
            .french:
                "Vérifiez le code ; s’il n’en arrive aucun, il n’y a peut-être pas de compte à cette adresse, et ceci en crée un : {command}",
        ],
        "hint.signUp": [
            .english: "Check the address, or make the account: {command}",
            .french: "Vérifiez l’adresse, ou créez le compte : {command}",
        ],
        "hint.signUpThere": [
            .english: "Choose another account at the other service, or make one here: {command}",
            .french: "Choisissez un autre compte auprès de l’autre service, ou créez-en un ici : {command}",
        ],
        "hint.browser": [
            .english: "Sign in in a browser instead: {command}",
            .french: "Connectez-vous plutôt dans un navigateur : {command}",
        ],
        "hint.key": [
            .english: "Check the key in the project's settings: {command}",
            .french: "Vérifiez la clé dans les réglages du projet : {command}",
        ],
        "hint.banned": [
            .english: "Ask those who run the service; a new sign-in would be refused too",
            .french: "Demandez à ceux qui gèrent le service ; une nouvelle connexion serait refusée aussi",
        ],
        "hint.factorName": [
            .english: "Give another name: {other}; or remove the factor that has it: {list}",
            .french: "Donnez un autre nom : {other} ; ou supprimez le facteur qui le porte : {list}",
        ],
        "hint.untrusted": [
            .english: "Do not repeat it; check the issuer's address, and who may have opened the link",
            .french: "Ne recommencez pas ; vérifiez l’adresse du service, et qui a pu ouvrir le lien",
        ],
        "hint.unusable": [
            .english: "Nothing says that somebody interfered; have the service's settings for this client changed",
            .french: "Rien n’indique une intrusion ; faites changer les réglages de ce client au service",
        ],
        "hint.changed": [
            .english: "Restore the profile's issuer and client, or use another profile: {command}",
            .french: "Rétablissez le service et le client du profil, ou utilisez un autre profil : {command}",
        ],
        "hint.clock": [
            .english:
                "Set this machine's clock, or let the network set it; the command \"{command}\" compares it",
            .french:
                "Réglez l’horloge de cette machine, ou laissez le réseau la régler ; « {command} » la compare",
        ],
        "hint.client": [
            .english: "Check the client's id, and its secret if it has one",
            .french: "Vérifiez l’identifiant du client, et son secret s’il en a un",
        ],
        "hint.configuration": [
            .english: "Correct the command or the profile; \"{command}\" lists the profiles",
            .french: "Corrigez la commande ou le profil ; « {command} » montre les profils",
        ],
        "hint.secretOption": [
            .english:
                "Use --client-secret-file FILE, --client-secret-env with $LATCHKEY_CLIENT_SECRET, or --ask-client-secret",
            .french:
                "Utilisez --client-secret-file FICHIER, --client-secret-env avec $LATCHKEY_CLIENT_SECRET, ou --ask-client-secret",
        ],
        "hint.secretUnused": [
            .english: "{variable} is set but was not sent; if it is this client's secret: {way}",
            .french: "{variable} est définie mais n’a pas été envoyée ; si c’est le secret de ce client : {way}",
        ],
        "hint.secretUnusedLogin": [
            .english: "{variable} is set but was not sent; if it is this client's secret, add {way}",
            .french:
                "{variable} est définie mais n’a pas été envoyée ; si c’est le secret de ce client, ajoutez {way}",
        ],
        "hint.clientBasic": [
            .english:
                "Check the client's id and secret; where the service does not decode HTTP Basic: {raw}; where it takes none: {body}",
            .french:
                "Vérifiez l’identifiant et le secret du client ; si le service ne décode pas HTTP Basic : {raw} ; s’il n’en veut pas : {body}",
        ],
        "hint.noScope": [
            .english: "To ask for no scope: {command}",
            .french: "Pour ne demander aucun droit : {command}",
        ],
        "hint.same": [
            .english: "Begin again with the same command", .french: "Recommencez avec la même commande",
        ],
        "hint.again": [
            .english: "Begin again: {command}", .french: "Recommencez : {command}",
        ],
        "hint.reinstall": [
            .english:
                "Where LD_LIBRARY_PATH or LD_PRELOAD leads to another one, unset it; else: apt-get install --reinstall {package}",
            .french:
                "Si LD_LIBRARY_PATH ou LD_PRELOAD mène à une autre, retirez cette variable ; sinon : apt-get install --reinstall {package}",
        ],
        "hint.redirected": [
            .english: "If the token may go there, send the request to that address",
            .french: "Si le jeton peut y aller, envoyez la requête à cette adresse",
        ],
        "hint.didYouMean": [.english: "Did you mean {word}?", .french: "Vouliez-vous dire {word} ?"],
        "hint.answerID": [
            .english: "List the ids: {command}", .french: "Pour la liste des identifiants : {command}",
        ],
        "hint.noOthers": [
            .english: "End them where they are, or on the service's own page; this one ends by: {command}",
            .french: "Terminez-les là où elles sont, ou sur la page du service ; celle-ci se termine par : {command}",
        ],
        "hint.inputEncoding": [
            .english: "Write it as UTF-8 without zero bytes; from UTF-16, such as by: iconv -f UTF-16 -t UTF-8",
            .french: "Écrivez-le en UTF-8 sans octet nul ; depuis UTF-16, par exemple par : iconv -f UTF-16 -t UTF-8",
        ],
        "hint.pasted": [
            .english: "The sign-in still waits: run the same command with the whole address",
            .french: "La connexion attend toujours : relancez la même commande avec l’adresse entière",
        ],
        "hint.input": [.english: "Check the input", .french: "Vérifiez l’entrée"],
        "hint.factorID": [
            .english: "Give the id that \"{command}\" shows",
            .french: "Donnez l’identifiant que montre « {command} »",
        ],
        "hint.accountID": [
            .english: "Give the id that \"{command}\" shows",
            .french: "Donnez l’identifiant que montre « {command} »",
        ],
        "hint.who": [
            .english: "Add --account with a mail address or a number",
            .french: "Ajoutez --account avec une adresse ou un numéro",
        ],
        "hint.wipe": [
            .english: "Sign out by: {command}, or add --yes",
            .french: "Déconnectez-vous par : {command}, ou ajoutez --yes",
        ],
        "hint.eraseLog": [
            .english: "Keep a copy by: {command}, then add --yes",
            .french: "Gardez une copie par : {command}, puis ajoutez --yes",
        ],
        "hint.origin": [
            .english: "Allow it here with --allow-origin {origin}, or for good: {command}",
            .french:
                "Permettez-le ici par --allow-origin {origin}, ou pour de bon : {command}",
        ],
        "hint.runtime": [
            .english: "Set XDG_RUNTIME_DIR to a private directory that can be written",
            .french: "Donnez à XDG_RUNTIME_DIR un dossier privé où l’on peut écrire",
        ],
        "hint.noProc": [
            .english: "In the container or chroot: mount -t proc proc /proc",
            .french: "Dans le conteneur ou le chroot : mount -t proc proc /proc",
        ],
        "hint.fewDescriptors": [
            .english: "Raise the limit, such as by: ulimit -n 1024",
            .french: "Relevez la limite, par exemple par : ulimit -n 1024",
        ],
        "hint.devServer": [
            .english:
                "Put latchkey-dev-server of the same release there, or build it: swift build --product latchkey-dev-server",
            .french:
                "Mettez-y latchkey-dev-server de la même version, ou construisez-le : swift build --product latchkey-dev-server",
        ],
        "hint.program": [
            .english: "Check the program's name, and that it may be executed",
            .french: "Vérifiez le nom du programme, et qu’il peut être exécuté",
        ],
        "hint.runtimeOwn": [
            .english: "Set XDG_RUNTIME_DIR or TMPDIR to a directory that is yours alone",
            .french: "Donnez à XDG_RUNTIME_DIR ou TMPDIR un dossier qui n’est qu’à vous",
        ],
    ]
}

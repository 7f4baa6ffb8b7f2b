import Latchkey

extension Option {
    static let serverPort = value("port", "PORT", .port, "Listens on this port of 127.0.0.1 instead of any free one")
    static let tokenLifetime = value(
        "token-lifetime", "DURATION", .duration, "How long access tokens last, in whole seconds; default 5m")
    static let redirects = value(
        "redirect", "URL", .url, "Lets codes and links lead to this address too, such as http://localhost:8765",
        repeats: true)
    static let users = value(
        "users", "FILE", .file,
        "Has these people instead of ada and grace: a JSON array of objects with name, password and perhaps displayName"
    )
    static let requestLog = flag(
        "log", "Tells on standard error of each request: endpoint, grant, what came of it; no token, code or password")
    static let fault = value(
        "fault", "FAULT", .text,
        "Lets requests fail: KIND@ENDPOINT, then ,count=N ,status=N ,seconds=N or ,milliseconds=N as the kind needs",
        repeats: true)
    static let gotrue = value(
        "gotrue", "NAME=VALUE", .text, "Configures the Supabase project, such as autoconfirm=on or reuse-interval=0s",
        repeats: true)
    static let clerkSetting = value(
        "clerk-setting", "NAME", .words(DevServerWords.clerk),
        "Switches the Clerk instance to this, such as single-session or setup-mfa", repeats: true)
    static let autoApprove = flag("auto-approve", "Signs the first user in without asking")
}

extension Command {
    static let devServer = Command(
        name: "dev-server", summary: "Runs an identity service for development on this machine",
        details: [
            "Runs until Ctrl-C or SIGTERM. Everything is in memory and gone then. For development only: its users'"
                + " passwords are printed on purpose, and it answers this machine alone.",
            "--gotrue sets what a project is configured with. On or off: \(DevServerWords.list(DevServerWords.switches)). A duration:"
                + " \(DevServerWords.list(DevServerWords.durations)). A number up to 1000: \(DevServerWords.list(DevServerWords.numbers)). And"
                + " tokens=v1 or v2, signing=ES256 or HS256, secret=TEXT for HS256, captcha=TEXT for the only answer that"
                + " is taken, providers=NAME,NAME or none, address-field=NAME for the header field by which requests of one"
                + " address are limited.",
            "--clerk-setting sets what a Clerk instance has in its dashboard: \(DevServerWords.list(DevServerWords.clerk)). With"
                + " allow-list, visits that came from an address of --redirect get the nonce, and no others.",
            "The mail and text messages that it sends are at /inbox, and as JSON at /inbox.json; ?to=ADDRESS for one"
                + " recipient.",
        ],
        examples: [
            "latchkey dev-server --port 8400 --auto-approve", "latchkey dev-server --users people.json --log",
            "latchkey dev-server --gotrue tokens=v1 --gotrue reuse-interval=0s --gotrue autoconfirm=on",
            "latchkey dev-server --clerk-setting single-session --clerk-setting setup-mfa",
            "latchkey dev-server --fault status@token,status=503,count=2 --fault delay@discovery,milliseconds=3000",
        ],
        output: [
            ("issuer", "Its address, for latchkey login --issuer, or --supabase"),
            ("clerk", "An object: publishableKey, secretKey, proxyUrl, settings, users with email and password"),
            ("users", "A list of objects: name, password"),
            ("clients", "A list of objects: clientId, grants, and secret for a confidential one"),
            (
                "supabase",
                "An object: url, publishableKey, secretKey, jwtSecret with HS256, inbox, users with email and password"
            ),
        ],
        options: [
            .serverPort, .tokenLifetime, .users, .redirects, .autoApprove, .gotrue, .clerkSetting, .requestLog, .fault,
            .json,
        ],
        run: { invocation in
            guard let serve = invocation.devServer else {
                throw DevServerProgram.replace(with: Array(invocation.words.drop { $0 != "dev-server" }.dropFirst()))
            }
            try await serve(DevServerLine(invocation))
            return .success
        })
}
